import { lazy } from "@jaf/memory/engine";
import * as z from "zod";

/** What both APIs take. */
export interface OpenAIEndpointOptions {
  /** Default: `OPENAI_API_KEY`. An endpoint other than OpenAI's may do without. */
  readonly apiKey?: string | undefined;
  /** Up to and without the API's own path. Default: `OPENAI_BASE_URL`, else `https://api.openai.com/v1`. */
  readonly baseURL?: string | undefined;
  /** Used where neither `RunConfig.modelOverride` nor the agent's `modelConfig.name` names one. */
  readonly model?: string | undefined;
  /** Sent with each request, beside or in place of its own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sent in the body of each request, e.g. `{ service_tier: "flex" }`. The agent's `modelConfig.providerOptions` outranks
   * it.
   */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** In place of the global one, e.g. to go through a proxy or to log. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * What the endpoint is called in `origin`, and the key of its `providerOptions`. Default: `"openai"` for OpenAI's, else
   * the host with its port. Two endpoints of one name are given each other's opaque parts.
   */
  readonly provider?: string | undefined;
  /** Sent as `OpenAI-Organization`. */
  readonly organization?: string | undefined;
  /** Sent as `OpenAI-Project`. */
  readonly project?: string | undefined;
  /** What becomes of the readable thinking of another model: nothing (default), or text before what it said. */
  readonly foreignReasoning?: "omit" | "text" | undefined;
}

const text = lazy(() => z.string().min(1));

/** Of a schema for options. */
export const endpointFields = lazy(() => ({
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
  organization: text().optional(),
  project: text().optional(),
  foreignReasoning: z.enum(["omit", "text"]).default("omit"),
}));

/**
 * Throws a `TypeError` that names the fields and says what was expected, without quoting a value. `factory`: the function
 * that was given them.
 */
export function parseOptions<Parsed>(schema: z.ZodType<Parsed>, options: unknown, factory: string): Parsed {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the options"}: ${message}`,
  );
  throw new TypeError(`${factory}: ${faults.join("; ")}`);
}
