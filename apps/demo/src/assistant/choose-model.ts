import type { ModelProvider } from "@jaf/core";
import { createOpenAIProvider, type OpenAIProvider } from "@jaf/openai";
import { Failure } from "../cli/failure.ts";
import { createOfflineModel } from "./offline-model.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenModel<Ctx> {
  readonly modelProvider: ModelProvider<Ctx>;
  /** Which one it is, for the person at the terminal, and what said so. */
  readonly notice: string;
}

const OPENAI_MODEL = "gpt-5-mini";

const OFFLINE = `No model is configured: this is JAF's offline assistant. /help lists the commands.
For a real one set OPENAI_API_KEY, or for any other endpoint, e.g. Ollama's, OPENAI_BASE_URL and JAF_MODEL.`;

/**
 * The model that `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `JAF_MODEL` name; without the first two the offline assistant. An
 * empty variable counts as not set. Throws a {@link Failure} where they name none.
 */
export function chooseModel<Ctx>(
  environment: Environment,
  { wordDelayMs }: { readonly wordDelayMs: number },
): ChosenModel<Ctx> {
  const apiKey = environment["OPENAI_API_KEY"] || undefined;
  const baseURL = environment["OPENAI_BASE_URL"] || undefined;
  const named = environment["JAF_MODEL"] || undefined;
  if (apiKey === undefined && baseURL === undefined)
    return { modelProvider: createOfflineModel({ wordDelayMs }), notice: OFFLINE };
  const model = named ?? (baseURL === undefined ? OPENAI_MODEL : undefined);
  if (model === undefined)
    throw new Failure("OPENAI_BASE_URL is set: JAF_MODEL has to name a model there.", 2);
  const names = { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, JAF_MODEL: named };
  const taken = Object.entries(names).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const modelProvider = open(apiKey, baseURL, model);
  const host = new URL(baseURL ?? "https://api.openai.com").host;
  return {
    modelProvider,
    notice: `The model is ${model} of ${host} (${taken.join(", ")}). /help lists the commands.`,
  };
}

function open(apiKey: string | undefined, baseURL: string | undefined, model: string): OpenAIProvider {
  try {
    return createOpenAIProvider({ apiKey, baseURL, model });
  } catch (thrown) {
    // An address that is none, or OpenAI's without a key.
    if (thrown instanceof TypeError) throw new Failure(thrown.message, 2);
    throw thrown;
  }
}
