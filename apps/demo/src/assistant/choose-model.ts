import { createAnthropicProvider } from "@jaf/anthropic";
import type { ModelProvider } from "@jaf/core";
import { createGoogleProvider } from "@jaf/google";
import { createOpenAIProvider } from "@jaf/openai";
import { Failure } from "../exit.ts";
import { createOfflineModel } from "./offline-model.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenModel<Ctx> {
  readonly modelProvider: ModelProvider<Ctx>;
  /** Tells the user which model is used, and which setting chose it. */
  readonly notice: string;
}

const OPENAI_MODEL = "gpt-5-mini";
const ANTHROPIC_MODEL = "claude-haiku-5-5";
const GOOGLE_MODEL = "gemini-3.8-flash";

const OFFLINE = `No model is configured: this is JAF's offline assistant, which follows fixed rules.
For a real one set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or for any other endpoint, e.g. Ollama's, OPENAI_BASE_URL and JAF_MODEL.`;

/**
 * Chooses the model by the environment: first OpenAI or the endpoint of `OPENAI_BASE_URL`, then Anthropic, then Google.
 * `JAF_MODEL` sets the model's name. Without any of them, it is the offline assistant. Empty variables count as unset. Throws
 * a {@link Failure} if the variables are invalid.
 */
export function chooseModel<Ctx>(
  environment: Environment,
  { wordDelayMs }: { readonly wordDelayMs: number },
): ChosenModel<Ctx> {
  const set = (name: string): string | undefined => environment[name] || undefined;
  const model = set("JAF_MODEL");
  if ((set("OPENAI_API_KEY") ?? set("OPENAI_BASE_URL")) !== undefined) return ofOpenAI(set, model);
  if (set("ANTHROPIC_API_KEY") !== undefined) return ofAnthropic(set, model);
  if (set("GOOGLE_GENERATIVE_AI_API_KEY") !== undefined) return ofGoogle(set, model);
  return { modelProvider: createOfflineModel({ wordDelayMs }), notice: OFFLINE };
}

type Variables = (name: string) => string | undefined;

function ofOpenAI<Ctx>(set: Variables, named: string | undefined): ChosenModel<Ctx> {
  const [apiKey, baseURL] = [set("OPENAI_API_KEY"), set("OPENAI_BASE_URL")];
  const model = named ?? (baseURL === undefined ? OPENAI_MODEL : undefined);
  if (model === undefined)
    throw new Failure("OPENAI_BASE_URL is set. Set JAF_MODEL to a model of that endpoint.", 2);
  return {
    modelProvider: opened(() => createOpenAIProvider({ apiKey, baseURL, model })),
    notice: noticeOf(set, model, { host: hostOf(baseURL ?? "https://api.openai.com"), names: OPENAI_NAMES }),
  };
}

function ofAnthropic<Ctx>(set: Variables, model = ANTHROPIC_MODEL): ChosenModel<Ctx> {
  const [apiKey, baseURL] = [set("ANTHROPIC_API_KEY"), set("ANTHROPIC_BASE_URL")];
  return {
    modelProvider: opened(() => createAnthropicProvider({ apiKey, baseURL, model })),
    notice: noticeOf(set, model, {
      host: hostOf(baseURL ?? "https://api.anthropic.com"),
      names: ANTHROPIC_NAMES,
    }),
  };
}

function ofGoogle<Ctx>(set: Variables, model = GOOGLE_MODEL): ChosenModel<Ctx> {
  const apiKey = set("GOOGLE_GENERATIVE_AI_API_KEY");
  return {
    modelProvider: opened(() => createGoogleProvider({ apiKey, model })),
    notice: noticeOf(set, model, { host: "generativelanguage.googleapis.com", names: GOOGLE_NAMES }),
  };
}

const OPENAI_NAMES = ["OPENAI_API_KEY", "OPENAI_BASE_URL"] as const;
const ANTHROPIC_NAMES = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"] as const;
const GOOGLE_NAMES = ["GOOGLE_GENERATIVE_AI_API_KEY"] as const;

function noticeOf(
  set: Variables,
  model: string,
  { host, names }: { readonly host: string; readonly names: readonly string[] },
): string {
  const taken = [...names, "JAF_MODEL"].filter((name) => set(name) !== undefined);
  return `The model is ${model} of ${host} (${taken.join(", ")}).`;
}

/** The provider has validated the URL. */
const hostOf = (url: string): string => new URL(url).host;

function opened<Provider>(open: () => Provider): Provider {
  try {
    return open();
  } catch (thrown) {
    // The URL is invalid, or the vendor's own service needs a key.
    if (thrown instanceof TypeError) throw new Failure(thrown.message, 2);
    throw thrown;
  }
}
