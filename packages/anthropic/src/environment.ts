import { processEnvironment } from "@jaf/memory/engine";

/** What the environment says of the service; empty counts as not set. */
export interface ServiceEnvironment {
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
}

export const readEnvironment = (
  environment: Readonly<Record<string, string | undefined>> = processEnvironment(),
): ServiceEnvironment => ({
  apiKey: environment["ANTHROPIC_API_KEY"] || undefined,
  baseURL: environment["ANTHROPIC_BASE_URL"] || undefined,
});
