import { processEnvironment } from "@jaf/memory/engine";

/** The key that the environment has; empty counts as not set. */
export const readApiKey = (
  environment: Readonly<Record<string, string | undefined>> = processEnvironment(),
): string | undefined =>
  environment["GOOGLE_GENERATIVE_AI_API_KEY"] || environment["GEMINI_API_KEY"] || undefined;
