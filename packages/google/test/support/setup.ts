import { onTestFinished } from "vitest";
import { createGoogleProvider, type GoogleProviderOptions } from "../../src/index.ts";
import { type GeminiServer, startGeminiServer } from "./gemini-server.ts";

export { type AnyAgent, asking, configOf, rich, says } from "../../../../test/models/run.ts";
export const MODEL = "gemini-3-pro-preview";

/** Starts a server that closes after the test. */
export async function gemini(...args: Parameters<typeof startGeminiServer>): Promise<GeminiServer> {
  const server = await startGeminiServer(...args);
  onTestFinished(server.close);
  return server;
}

/** Options that make the server look like Google's. */
export const providerOf = ({ baseURL }: Pick<GeminiServer, "baseURL">, options: GoogleProviderOptions = {}) =>
  createGoogleProvider({ baseURL, apiKey: "AIza-test", model: MODEL, provider: "google", ...options });
