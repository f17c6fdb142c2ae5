import { lazy } from "@jaf/memory/engine";
import * as z from "zod";
import { GoogleCacheRegistry } from "./cache/registry.ts";

/** How an agent's `outputCodec` is told to the model. */
export type OutputFormat = "json_schema" | "instructions" | "none";

export interface GoogleProviderOptions {
  /** Default: `GOOGLE_GENERATIVE_AI_API_KEY`, else `GEMINI_API_KEY`, for Google's own address alone. */
  readonly apiKey?: string | undefined;
  /** Up to and without `/models`. Default: `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseURL?: string | undefined;
  /** Used where neither `RunConfig.modelOverride` nor the agent's `modelConfig.name` names one. */
  readonly model?: string | undefined;
  /** Sent with each request, beside or in place of its own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent in the body of each request, e.g. `{ safetySettings }`. The agent's `modelConfig.providerOptions` outranks it. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** In place of the global one, e.g. to go through a proxy or to log. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * What the service is called in `origin`, and a key of its `providerOptions`. Default: `"google"` for Google's own
   * address, else the host with its port. Two services of one name are given each other's opaque parts.
   */
  readonly provider?: string | undefined;
  /** Whether replies hold summaries of what the model thought; default `false`. Signatures come either way. */
  readonly includeThoughts?: boolean | undefined;
  /**
   * Default: `"json_schema"`, or `"instructions"` for models before Gemini 3 that are given tools, since those refuse both.
   * `"none"` leaves it to the agent's instructions.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /** What becomes of the readable thinking of another model: nothing (default), or text before what it said. */
  readonly foreignReasoning?: "omit" | "text" | undefined;
  /** Where cached prompts are looked up. Default: one of this provider's own, in this process. */
  readonly cacheRegistry?: GoogleCacheRegistry | undefined;
}

const text = lazy(() => z.string().min(1));

const optionsSchema = lazy(() =>
  z.strictObject({
    apiKey: text().optional(),
    baseURL: z
      .url({ protocol: /^https?$/, error: "expected an address of http or https" })
      .transform((url) => url.replace(/\/+$/, ""))
      .optional(),
    model: text().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.record(z.string(), z.unknown()).optional(),
    fetch: z
      .custom<typeof globalThis.fetch>((value) => typeof value === "function", "expected a function")
      .optional(),
    provider: text().optional(),
    includeThoughts: z.boolean().default(false),
    outputFormat: z.enum(["json_schema", "instructions", "none"]).optional(),
    foreignReasoning: z.enum(["omit", "text"]).default("omit"),
    cacheRegistry: z
      .custom<GoogleCacheRegistry>(
        (value) => value instanceof GoogleCacheRegistry,
        "expected a GoogleCacheRegistry",
      )
      .optional(),
  }),
);

export type ParsedOptions = z.output<ReturnType<typeof optionsSchema>>;

/** Throws a `TypeError` that names the fields and says what was expected, without quoting a value. */
export function parseOptions(options: GoogleProviderOptions): ParsedOptions {
  const parsed = optionsSchema().safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the options"}: ${message}`,
  );
  throw new TypeError(`createGoogleProvider: ${faults.join("; ")}`);
}
