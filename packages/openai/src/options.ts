import { checkRelease, processEnvironment } from "@jaf/memory/internal";
import {
  createModelService,
  environmentURL,
  type ModelService,
  type ModelServiceOptions,
  serviceOptions,
} from "@jaf/model-http";
import * as z from "zod";
import { type Dialect, dialectOf, type OutputFormat } from "./dialect.ts";
import { errors } from "./errors.ts";

/** Options of both APIs. */
export interface OpenAIEndpointOptions extends ModelServiceOptions {
  /** Default: `OPENAI_API_KEY`. Required for OpenAI's own endpoint only. */
  readonly apiKey?: string | undefined;
  /** The URL without the API's own path. Default: `OPENAI_BASE_URL`, else `https://api.openai.com/v1`. */
  readonly baseURL?: string | undefined;
  /** Sent as `OpenAI-Organization`. */
  readonly organization?: string | undefined;
  /** Sent as `OpenAI-Project`. */
  readonly project?: string | undefined;
}

/** The schema fields of {@link OpenAIEndpointOptions}. */
const endpointFields = () => ({
  ...serviceOptions,
  organization: z.string().min(1).optional(),
  project: z.string().min(1).optional(),
});

/** Options of {@link createOpenAIProvider}. */
export interface OpenAIProviderOptions extends OpenAIEndpointOptions {
  /** The endpoint's rules. Default: by the endpoint's host, or by the model's name if the host is unknown. */
  readonly dialect?: Dialect | undefined;
  /**
   * How the agent's `outputCodec` is sent. `"json_object"` adds the schema to the instructions, `"none"` sends no format.
   * Default: by the dialect.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /** Fields of the endpoint's own replies that it refuses in requests. */
  readonly omitFields?: readonly string[] | undefined;
  /** Whether streams report token usage (`stream_options.include_usage`). Default `true`. Some endpoints refuse it. */
  readonly streamUsage?: boolean | undefined;
}

export const chatOptionsSchema = z.strictObject({
  ...endpointFields(),
  dialect: z.enum(["openai", "deepseek", "gemini", "compatible"]).optional(),
  outputFormat: z.enum(["json_schema", "json_object", "none"]).optional(),
  omitFields: z.array(z.string()).default([]),
  streamUsage: z.boolean().default(true),
});

export type ParsedChatOptions = z.output<typeof chatOptionsSchema>;

/** Options of {@link createOpenAIResponsesProvider}. */
export interface OpenAIResponsesProviderOptions extends OpenAIEndpointOptions {
  /**
   * The endpoint's rules. `"openai"`: custom tools, `prompt_cache_key` and encrypted reasoning. `"compatible"`: none of them. Default: `"openai"`
   * for hosts of OpenAI and Azure, else `"compatible"`.
   */
  readonly dialect?: "openai" | "compatible" | undefined;
  /** Whether OpenAI stores the responses. Default `false`. `providerOptions.openai.store` overrides it. */
  readonly store?: boolean | undefined;
  /**
   * Whether to request encrypted reasoning, which later requests send back. Models without reasoning refuse this. Default:
   * `true` for the dialect `"openai"`, except for `gpt-3…`, `gpt-4…`, `gpt-5-chat…` and `chatgpt…`.
   */
  readonly encryptedReasoning?: boolean | undefined;
  /** The reasoning summary to request. Default: none. */
  readonly reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /** How the agent's `outputCodec` is sent. Default `"json_schema"`; `"none"` sends no format. */
  readonly outputFormat?: "json_schema" | "none" | undefined;
}

export const responsesOptionsSchema = z.strictObject({
  ...endpointFields(),
  dialect: z.enum(["openai", "compatible"]).optional(),
  store: z.boolean().default(false),
  encryptedReasoning: z.boolean().optional(),
  reasoningSummary: z.enum(["auto", "concise", "detailed"]).optional(),
  outputFormat: z.enum(["json_schema", "none"]).default("json_schema"),
});

export type ParsedResponsesOptions = z.output<typeof responsesOptionsSchema>;

/** The model service with its dialect. */
export interface Endpoint extends ModelService {
  readonly dialect: (model: string) => Dialect;
}

const OPENAI = "https://api.openai.com/v1";

interface EndpointInput {
  readonly options: OpenAIEndpointOptions & { readonly dialect?: Dialect | undefined };
  /** The API's path, appended to the base URL. */
  readonly path: "/chat/completions" | "/responses";
  /** The function's name for errors. */
  readonly factory: string;
}

/** Throws a `TypeError` if OpenAI's key is missing or `OPENAI_BASE_URL` isn't a URL. */
export function openEndpoint({ options, path, factory }: EndpointInput): Endpoint {
  checkRelease(globalThis.JAF_RELEASE);
  // An empty variable counts as unset.
  const { OPENAI_API_KEY: environmentKey = "", OPENAI_BASE_URL: address = "" } = processEnvironment();
  const baseURL = options.baseURL ?? environmentURL("OPENAI_BASE_URL", address || OPENAI);
  const { host, hostname } = new URL(baseURL);
  const isOpenAI = hostname === "api.openai.com";
  // The environment's key belongs to the environment's URL: another host must not get it.
  const isOfEnvironment = options.baseURL === undefined || options.baseURL === address || isOpenAI;
  const apiKey = options.apiKey ?? (isOfEnvironment && environmentKey !== "" ? environmentKey : undefined);
  if (isOpenAI && apiKey === undefined) throw new TypeError(`${factory}: set OPENAI_API_KEY, or pass apiKey`);
  const service = createModelService({
    url: `${baseURL}${path}`,
    provider: options.provider ?? (isOpenAI ? "openai" : host),
    errors,
    options,
    headers: {
      authorization: apiKey && `Bearer ${apiKey}`,
      "openai-organization": options.organization,
      "openai-project": options.project,
    },
    keyHeaders: ["authorization"],
  });
  return { ...service, dialect: (model) => options.dialect ?? dialectOf(hostname, model) };
}
