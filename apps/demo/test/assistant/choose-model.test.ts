import { describe, expect, it, onTestFinished } from "vitest";
import { chooseModel } from "../../src/assistant/choose-model.ts";
import { Failure } from "../../src/exit.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the environment's model", () => {
  it.each([
    [{ OPENAI_API_KEY: "k" }, "The model is gpt-5-mini of api.openai.com (OPENAI_API_KEY)."],
    [
      { OPENAI_API_KEY: "k", JAF_MODEL: "gpt-5" },
      "The model is gpt-5 of api.openai.com (OPENAI_API_KEY, JAF_MODEL).",
    ],
    [{ ANTHROPIC_API_KEY: "k" }, "The model is claude-haiku-5-5 of api.anthropic.com (ANTHROPIC_API_KEY)."],
    [
      { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://localhost:1", JAF_MODEL: "claude-opus-5-5" },
      "The model is claude-opus-5-5 of localhost:1 (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, JAF_MODEL).",
    ],
    [
      { GOOGLE_GENERATIVE_AI_API_KEY: "k" },
      "The model is gemini-3.8-flash of generativelanguage.googleapis.com (GOOGLE_GENERATIVE_AI_API_KEY).",
    ],
    [
      { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GOOGLE_GENERATIVE_AI_API_KEY: "k" },
      "The model is gpt-5-mini of api.openai.com (OPENAI_API_KEY).",
    ],
    [{ OPENAI_API_KEY: "", JAF_MODEL: "gpt-5" }, "No model is configured"],
    [{}, "No model is configured"],
  ])("%j", (environment, notice) => {
    expect(chooseModel(environment, { wordDelayMs: 0 }).notice).toContain(notice);
  });

  it.each([
    [{ OPENAI_BASE_URL: "http://localhost:11434/v1" }, /Set JAF_MODEL to a model/],
    [{ OPENAI_BASE_URL: "nonsense", JAF_MODEL: "m" }, /expected an http or https URL/],
    [{ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "nonsense" }, /expected an http or https URL/],
    [{ OPENAI_BASE_URL: "https://api.openai.com/v1", JAF_MODEL: "m" }, /OPENAI_API_KEY/],
  ])("is refused with a reason: %j", (environment, message) => {
    const choose = () => chooseModel(environment, { wordDelayMs: 0 });
    expect(choose).toThrow(Failure);
    expect(choose).toThrow(message);
  });
});

describe("an unavailable store in the environment", () => {
  it.each([
    [{ JAF_MEMORY_TYPE: "redis", JAF_REDIS_URL: "redis://127.0.0.1:1" }, /[Rr]edis/],
    [{ JAF_MEMORY_TYPE: "postgres", JAF_POSTGRES_URL: "postgres://127.0.0.1:1/none" }, /[Pp]ostgres/],
    [{ JAF_MEMORY_TYPE: "nonsense" }, /nonsense/],
  ])("is refused before anything is opened: %j", async (environment, message) => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    await expect(openStore(folder.data, environment)).rejects.toThrow(Failure);
    await expect(openStore(folder.data, environment)).rejects.toThrow(message);
  });
});
