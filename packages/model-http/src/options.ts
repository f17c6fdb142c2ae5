import * as z from "zod";
import type { ServiceErrors } from "./errors.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import type { ForeignReasoning } from "./messages.ts";
import type { ModelService } from "./service.ts";

/** What a provider that asks a service by `fetch` takes. */
export interface ModelServiceOptions {
  /** Default: of the environment. A service other than the vendor's own may do without. */
  readonly apiKey?: string | undefined;
  /** Up to and without the API's own path. */
  readonly baseURL?: string | undefined;
  /** Used where neither `RunConfig.modelOverride` nor the agent's `modelConfig.name` names one. */
  readonly model?: string | undefined;
  /** Sent with each request, beside or in place of its own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent in the body of each request. The agent's `modelConfig.providerOptions` outranks it. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** In place of the global one, e.g. to go through a proxy or to log. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * What the service is called in `origin`, and a key of its `providerOptions`. Default: the vendor's name at its own address,
   * else the host with its port. Two services of one name are given each other's opaque parts.
   */
  readonly provider?: string | undefined;
  /** What becomes of the readable thinking of another model: nothing (default), or text before what it said. */
  readonly foreignReasoning?: ForeignReasoning | undefined;
}

const text = z.string().min(1);

/** Of a schema for {@link ModelServiceOptions}. */
export const serviceOptions = {
  apiKey: text.optional(),
  baseURL: z
    .url({ protocol: /^https?$/, error: "expected an address of http or https" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  model: text.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
  fetch: z
    .custom<typeof globalThis.fetch>((value) => typeof value === "function", "expected a function")
    .optional(),
  provider: text.optional(),
  foreignReasoning: z.enum(["omit", "text"]).default("omit"),
};

/**
 * Throws a `TypeError` that names the fields and says what was expected, without quoting a value. `factory`: the function
 * that was given them.
 */
export function parseServiceOptions<Parsed>(
  schema: z.ZodType<Parsed>,
  options: unknown,
  factory: string,
): Parsed {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path, message }) => `${path.join(".") || "the options"}: ${message}`,
  );
  throw new TypeError(`${factory}: ${faults.join("; ")}`);
}

interface ServiceParts extends Pick<ModelService, "url" | "provider" | "errors"> {
  readonly options: Pick<ModelServiceOptions, "headers" | "fetch">;
  /** The provider's own; the options' outrank them. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Those that say who asks. */
  readonly keyHeaders: readonly string[];
}

export function createModelService({ options, keyHeaders, ...parts }: ServiceParts): ModelService {
  const given = { "content-type": "application/json", ...parts.headers, ...options.headers };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) headers[name.toLowerCase()] = value;
  return {
    ...parts,
    headers,
    // Looked up at each call, so that a test or an instrumentation that replaces it is heard.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    hasKey: keyHeaders.some((name) => headers[name] !== undefined),
  };
}

/** The name of the model that is asked. Throws the service's error where none is named. */
export function modelName(
  { modelOverride }: { readonly modelOverride?: string | undefined },
  { modelConfig }: { readonly modelConfig?: { readonly name?: string | undefined } | undefined },
  { model: byDefault, errors }: { readonly model: string | undefined; readonly errors: ServiceErrors },
): string {
  const model = modelOverride ?? modelConfig?.name ?? byDefault;
  if (model !== undefined) return model;
  throw errors.configuration(
    "no model is named: set the provider's model, modelConfig.name or modelOverride",
  );
}

/** What an agent's `providerOptions` say to a vendor's API, and to the service that has it, which outranks. */
export function optionsFor(
  modelConfig: { readonly providerOptions?: Readonly<Record<string, unknown>> | undefined } | undefined,
  vendor: string,
  provider: string,
): readonly [Fields, Fields] {
  const byProvider = fieldsOf(modelConfig?.providerOptions);
  return [fieldsOf(byProvider[vendor]), provider === vendor ? {} : fieldsOf(byProvider[provider])];
}
