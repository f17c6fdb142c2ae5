import { processEnvironment } from "@jaf/memory/engine";

/** What the environment says of the endpoint; empty counts as not set. */
export interface EndpointEnvironment {
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
}

export const readEnvironment = (
  environment: Readonly<Record<string, string | undefined>> = processEnvironment(),
): EndpointEnvironment => ({
  apiKey: environment["OPENAI_API_KEY"] || undefined,
  baseURL: environment["OPENAI_BASE_URL"] || undefined,
});
