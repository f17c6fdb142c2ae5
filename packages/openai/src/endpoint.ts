import type { ModelService } from "@jaf/model-http";
import { type Dialect, dialectOf } from "./dialect.ts";
import type { EndpointEnvironment } from "./environment.ts";
import { errors } from "./error.ts";
import type { OpenAIEndpointOptions } from "./options.ts";

/** Where requests go, and as whom. */
export interface Endpoint extends ModelService {
  readonly dialect: (model: string) => Dialect;
}

const OPENAI = "https://api.openai.com/v1";

interface Given {
  readonly options: OpenAIEndpointOptions & { readonly dialect?: Dialect | undefined };
  readonly environment: EndpointEnvironment;
  /** The API's, behind the base URL. */
  readonly path: "/chat/completions" | "/responses";
  /** Named in errors. */
  readonly factory: string;
}

/** Throws a `TypeError` where OpenAI is to be asked without a key, or where an address of the environment is none. */
export function openEndpoint({ options, environment, path, factory }: Given): Endpoint {
  const baseURL = (options.baseURL ?? environment.baseURL ?? OPENAI).replace(/\/+$/, "");
  if (!URL.canParse(baseURL)) throw new TypeError("OPENAI_BASE_URL: expected an address of http or https");
  const { host, hostname } = new URL(baseURL);
  const isOpenAI = hostname === "api.openai.com";
  // A key of the environment is for the address of the environment: another host must not get it.
  const isOfEnvironment =
    options.baseURL === undefined || options.baseURL === environment.baseURL || isOpenAI;
  const apiKey = options.apiKey ?? (isOfEnvironment ? environment.apiKey : undefined);
  if (isOpenAI && apiKey === undefined) throw new TypeError(`${factory}: set OPENAI_API_KEY, or pass apiKey`);
  const headers: Readonly<Record<string, string>> = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(options.organization === undefined ? {} : { "openai-organization": options.organization }),
    ...(options.project === undefined ? {} : { "openai-project": options.project }),
    ...lowerCased(options.headers ?? {}),
  };
  return {
    url: `${baseURL}${path}`,
    headers,
    // Looked up at each call, so that a test or an instrumentation that replaces it is heard.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    hasKey: headers["authorization"] !== undefined,
    errors,
    provider: options.provider ?? (isOpenAI ? "openai" : host),
    dialect: (model) => options.dialect ?? dialectOf(hostname, model),
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
