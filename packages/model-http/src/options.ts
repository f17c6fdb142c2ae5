import * as z from "zod";
import type { ServiceErrors } from "./errors.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import type { ForeignReasoning } from "./messages.ts";
import type { ModelService } from "./service.ts";

/** Options of a model provider that calls a service with `fetch`. */
export interface ModelServiceOptions {
  /**
   * The service's API key. Default: the key in the model provider's environment variable (e.g. `OPENAI_API_KEY`).
   * Required only for the vendor's own service.
   */
  readonly apiKey?: string | undefined;
  /** The service's base URL, to which the model provider adds the API's own path. */
  readonly baseURL?: string | undefined;
  /** Name of the model if neither `RunConfig.modelOverride` nor the agent's `modelConfig.name` is set. */
  readonly model?: string | undefined;
  /** HTTP headers for each request. They override the model provider's own headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Fields for the body of each request. The agent's `modelConfig.providerOptions` override them. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Replaces the global `fetch`, e.g. for a proxy or logging. The function must respect `redirect: "manual"`. If it
   * follows redirects itself, it sends keys and conversations to other hosts.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * The service's name in `origin` and `providerOptions`. Default: the vendor's name for the vendor's own URL, and
   * otherwise the host with its port. Services with the same name receive each other's opaque parts (e.g. encrypted
   * reasoning).
   */
  readonly provider?: string | undefined;
  /**
   * Whether readable reasoning of other models is left out (`"omit"`, default) or sent as text before the reply
   * (`"text"`).
   */
  readonly foreignReasoning?: ForeignReasoning | undefined;
}

const text = z.string().min(1);

const EXPECTED_URL = "expected an http or https URL without a user name, a password, a query and spaces";

/** Checks whether a text is an http or https URL to which a path can be appended. It must not hold a password. */
function isServiceURL(address: string): boolean {
  // `new URL` drops spaces and line breaks, but behind them a path would make the URL invalid.
  if (!URL.canParse(address) || /[\s?#]/.test(address)) return false;
  const { protocol, username, password } = new URL(address);
  // `fetch` refuses a URL with a password, with an error that quotes the password.
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

/**
 * Returns `address`, the URL in the environment variable `variable`, without slashes at its end. Throws a `TypeError`
 * that names `variable` if `address` isn't a valid URL.
 */
export function environmentURL(variable: string, address: string): string {
  if (!isServiceURL(address)) throw new TypeError(`${variable}: ${EXPECTED_URL}`);
  return address.replace(/\/+$/, "");
}

/** Zod schemas of the {@link ModelServiceOptions}. Spread them into the schema of a model provider's own options. */
export const serviceOptions = {
  apiKey: text.optional(),
  baseURL: text
    .refine(isServiceURL, EXPECTED_URL)
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
 * Validates options and returns the parsed options. Throws a `TypeError` that names the invalid fields and the expected
 * types, without values. `factory`: the function's name in the error.
 *
 * @example
 * ```ts
 * import { parseServiceOptions, serviceOptions } from "@jaf/model-http";
 * import * as z from "zod";
 *
 * const schema = z.strictObject({ ...serviceOptions, maxTokens: z.int().min(1).default(4_096) });
 *
 * export function createMyProvider(options: unknown = {}) {
 *   const { model, maxTokens } = parseServiceOptions(schema, options, "createMyProvider");
 *   return { model, maxTokens };
 * }
 * ```
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
  /** The application's options. */
  readonly options: Pick<ModelServiceOptions, "headers" | "fetch">;
  /** The model provider's own headers. A header with the value `undefined` isn't sent. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names of the headers that hold an API key, in lower case. */
  readonly keyHeaders: readonly string[];
}

/**
 * Creates the service that `post` sends requests to. Header names become lower case, and headers in `options` override
 * `headers`. Without `options.fetch`, each request uses the global `fetch`. Throws a `TypeError` for a header value that
 * can't be sent.
 *
 * @example
 * ```ts
 * import { createModelService, ModelHttpError, serviceErrors } from "@jaf/model-http";
 *
 * export const service = createModelService({
 *   url: "https://models.example.com/v1/messages",
 *   provider: "mine",
 *   errors: serviceErrors(ModelHttpError),
 *   options: {},
 *   headers: { authorization: `Bearer ${process.env["MY_API_KEY"]}` },
 *   keyHeaders: ["authorization"],
 * });
 * ```
 */
export function createModelService({ options, keyHeaders, ...parts }: ServiceParts): ModelService {
  const given = { "content-type": "application/json", ...parts.headers, ...options.headers };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) headers[name.toLowerCase()] = sendable(name, value);
  return {
    ...parts,
    headers,
    // Looked up at each call, since tests and instrumentation may replace it.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    hasKey: keyHeaders.some((name) => headers[name] !== undefined),
  };
}

/** Throws without the value, which can be an API key: the error of `fetch` would quote it. */
function sendable(name: string, value: string): string {
  const text = value.trim();
  if (/^[\t -~\x80-\xff]*$/.test(text)) return text;
  throw new TypeError(
    `The header ${name} can't be sent, because its value contains a line break or another character that headers don't allow. Check the API key.`,
  );
}

/**
 * Returns the model's name. The first of these that is set counts: `modelOverride`, `modelConfig.name`, the model
 * provider's `model`. Throws the service's error if all three are absent.
 */
export function modelName(
  { modelOverride }: { readonly modelOverride?: string | undefined },
  { modelConfig }: { readonly modelConfig?: { readonly name?: string | undefined } | undefined },
  { model: byDefault, errors }: { readonly model: string | undefined; readonly errors: ServiceErrors },
): string {
  const model = modelOverride ?? modelConfig?.name ?? byDefault;
  if (model !== undefined) return model;
  throw errors.configuration("no model is set: set the provider's model, modelConfig.name or modelOverride");
}

/**
 * Returns two groups of the `providerOptions` of an agent's `modelConfig` or of a tool: those for the vendor's API, and those for this service. The
 * second group is empty if the service is the vendor's own. The caller must let the second group override the first.
 */
export function optionsFor(
  settings: { readonly providerOptions?: Readonly<Record<string, unknown>> | undefined } | undefined,
  vendor: string,
  provider: string,
): readonly [Fields, Fields] {
  const byProvider = fieldsOf(settings?.providerOptions);
  return [fieldsOf(byProvider[vendor]), provider === vendor ? {} : fieldsOf(byProvider[provider])];
}
