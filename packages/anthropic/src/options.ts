import { lazy } from "@jaf/memory/engine";
import * as z from "zod";

/** How an agent's `outputCodec` is told to the model. */
export type OutputFormat = "json_schema" | "instructions" | "none";

export interface AnthropicProviderOptions {
  /** Default: `ANTHROPIC_API_KEY`. Sent as `x-api-key`. A service other than Anthropic's may do without. */
  readonly apiKey?: string | undefined;
  /** Up to and without `/v1/messages`. Default: `ANTHROPIC_BASE_URL`, else `https://api.anthropic.com`. */
  readonly baseURL?: string | undefined;
  /** Used where neither `RunConfig.modelOverride` nor the agent's `modelConfig.name` names one. */
  readonly model?: string | undefined;
  /** The longest reply, in tokens, where the agent's `modelConfig.maxTokens` doesn't say. Default 16384. */
  readonly maxTokens?: number | undefined;
  /** Names of beta features, sent as `anthropic-beta`. Those of `providerOptions.anthropic.betas` are added. */
  readonly betas?: readonly string[] | undefined;
  /** Sent with each request, beside or in place of its own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent in the body of each request, e.g. `{ tools: [{ type: "web_search_20250305", name: "web_search" }] }`. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** In place of the global one, e.g. to go through a proxy or to log. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * What the service is called in `origin`, and a further key of its `providerOptions`. Default: `"anthropic"` for
   * Anthropic's, else the host with its port. Two services of one name are given each other's opaque parts.
   */
  readonly provider?: string | undefined;
  /**
   * Default: `"json_schema"` where the model takes one and the schema can be said, else `"instructions"`, which puts it behind
   * the agent's instructions. `"none"` leaves it to them.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /** What becomes of the readable thinking of another model: nothing (default), or text before what it said. */
  readonly foreignReasoning?: "omit" | "text" | undefined;
  /**
   * What the newer models do with their thinking where something before it has changed: leave it out (`"drop_block"`, default),
   * or refuse the request (`"error"`). Set by `thinking.block_binding`, which the agent's own outranks.
   */
  readonly prefixMismatch?: "drop_block" | "error" | undefined;
  /** How often a turn that the service has paused (`pause_turn`) is gone on with inside one call, from 0. Default 8. */
  readonly maxContinuations?: number | undefined;
}

const text = lazy(() => z.string().min(1));

const optionsSchema = lazy(() =>
  z.strictObject({
    apiKey: text().optional(),
    baseURL: z.url({ protocol: /^https?$/, error: "expected an address of http or https" }).optional(),
    model: text().optional(),
    maxTokens: z.int().min(1).default(16_384),
    betas: z.array(text()).default([]),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.record(z.string(), z.unknown()).optional(),
    fetch: z
      .custom<typeof globalThis.fetch>((value) => typeof value === "function", "expected a function")
      .optional(),
    provider: text().optional(),
    outputFormat: z.enum(["json_schema", "instructions", "none"]).optional(),
    foreignReasoning: z.enum(["omit", "text"]).default("omit"),
    prefixMismatch: z.enum(["drop_block", "error"]).default("drop_block"),
    maxContinuations: z.int().min(0).max(100).default(8),
  }),
);

export type ParsedOptions = z.output<ReturnType<typeof optionsSchema>>;

/** Throws a `TypeError` that names the fields and says what was expected, without quoting a value. */
export function parseOptions(options: AnthropicProviderOptions): ParsedOptions {
  const parsed = optionsSchema().safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the options"}: ${message}`,
  );
  throw new TypeError(`createAnthropicProvider: ${faults.join("; ")}`);
}
