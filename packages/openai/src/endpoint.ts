import { processEnvironment } from "@jaf/memory/engine";
import { createModelService, type ModelService } from "@jaf/model-http";
import { type Dialect, dialectOf } from "./dialect.ts";
import { errors } from "./error.ts";
import type { OpenAIEndpointOptions } from "./options.ts";

/** Where requests go, and as whom. */
export interface Endpoint extends ModelService {
  readonly dialect: (model: string) => Dialect;
}

const OPENAI = "https://api.openai.com/v1";

interface Given {
  readonly options: OpenAIEndpointOptions & { readonly dialect?: Dialect | undefined };
  /** The API's, behind the base URL. */
  readonly path: "/chat/completions" | "/responses";
  /** Named in errors. */
  readonly factory: string;
}

/** Throws a `TypeError` where OpenAI is to be asked without a key, or where an address of the environment is none. */
export function openEndpoint({ options, path, factory }: Given): Endpoint {
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
