import { processEnvironment } from "@jaf/memory/internal";
import {
  createModelService,
  type ModelService,
  type ModelServiceOptions,
  serviceOptions,
} from "@jaf/model-http";
import * as z from "zod";
import { type Dialect, dialectOf, type OutputFormat } from "./dialect.ts";
import { errors } from "./errors.ts";

/** What both APIs take. */
export interface OpenAIEndpointOptions extends ModelServiceOptions {
  /** Default: `OPENAI_API_KEY`. An endpoint other than OpenAI's may do without. */
  readonly apiKey?: string | undefined;
  /** Up to and without the API's own path. Default: `OPENAI_BASE_URL`, else `https://api.openai.com/v1`. */
  readonly baseURL?: string | undefined;
  /** Sent as `OpenAI-Organization`. */
  readonly organization?: string | undefined;
  /** Sent as `OpenAI-Project`. */
  readonly project?: string | undefined;
}

/** Of a schema for options. */
const endpointFields = () => ({
  ...serviceOptions,
  organization: z.string().min(1).optional(),
  project: z.string().min(1).optional(),
});

export interface OpenAIProviderOptions extends OpenAIEndpointOptions {
  /** Default: by the endpoint's host; where that is nobody's in particular, by the model's name. */
  readonly dialect?: Dialect | undefined;
  /** Default: by the dialect. `"json_object"` puts the schema into the instructions, `"none"` leaves it to them. */
  readonly outputFormat?: OutputFormat | undefined;
  /** Fields of its own replies that the endpoint doesn't take back. */
  readonly omitFields?: readonly string[] | undefined;
  /** Whether a stream is asked to say what it used; default `true`. Some endpoints refuse the question. */
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

export interface OpenAIResponsesProviderOptions extends OpenAIEndpointOptions {
  /**
   * `"openai"`: custom tools, `prompt_cache_key` and encrypted reasoning. `"compatible"`: none of them. Default: `"openai"`
   * where the host is OpenAI's or Azure's, else `"compatible"`.
   */
  readonly dialect?: "openai" | "compatible" | undefined;
  /** Whether OpenAI keeps the responses. Default `false`. `providerOptions.openai.store` outranks it. */
  readonly store?: boolean | undefined;
  /**
   * Whether models are asked for their reasoning in encrypted form, so that it can go back to them. Models that don't reason
   * refuse the question. Default: by the dialect and the model's name: not `gpt-3…`, `gpt-4…`, `gpt-5-chat…`, `chatgpt…`.
   */
  readonly encryptedReasoning?: boolean | undefined;
  /** The summary that a reasoning model writes of its thinking. Default: none is asked for. */
  readonly reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /** How an agent's `outputCodec` is told to the endpoint. Default `"json_schema"`; `"none"` leaves it to the instructions. */
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

/** Where requests go, and as whom. */
export interface Endpoint extends ModelService {
  readonly dialect: (model: string) => Dialect;
}

const OPENAI = "https://api.openai.com/v1";

interface EndpointInput {
  readonly options: OpenAIEndpointOptions & { readonly dialect?: Dialect | undefined };
  /** The API's, behind the base URL. */
  readonly path: "/chat/completions" | "/responses";
  /** Named in errors. */
  readonly factory: string;
}

/** Throws a `TypeError` where OpenAI is to be asked without a key, or where an address of the environment is none. */
export function openEndpoint({ options, path, factory }: EndpointInput): Endpoint {
  // Empty counts as not set.
  const { OPENAI_API_KEY: environmentKey = "", OPENAI_BASE_URL: address = "" } = processEnvironment();
  const baseURL = (options.baseURL ?? (address || OPENAI)).replace(/\/+$/, "");
  if (!URL.canParse(baseURL)) throw new TypeError("OPENAI_BASE_URL: expected an address of http or https");
  const { host, hostname } = new URL(baseURL);
  const isOpenAI = hostname === "api.openai.com";
  // A key of the environment is for the address of the environment: another host must not get it.
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
