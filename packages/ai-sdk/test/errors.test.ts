import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { type Agent, createRunState, run } from "@jaf/core";
import { ModelHttpError } from "@jaf/model-http";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import { AiSdkCallError, createAiSdkProvider } from "../src/index.ts";
import { ask, streamed } from "./support/asked.ts";

const failing = (thrown: unknown) =>
  createAiSdkProvider<object>(
    new MockLanguageModelV3({
      provider: "openai.chat",
      doGenerate: () => Promise.reject(thrown),
      doStream: () => {
        throw thrown;
      },
    }),
  );

async function errorOf(thrown: unknown): Promise<unknown> {
  const provider = failing(thrown);
  const error = await ask(provider).catch((caught: unknown) => caught);
  const fromStream = await streamed(provider).catch((caught: unknown) => caught);
  expect(fromStream).toEqual(error);
  return error;
}

const api = (fields: Partial<ConstructorParameters<typeof APICallError>[0]>) =>
  new APICallError({
    message: "said: my secret diary",
    url: "https://api.example/v1",
    requestBodyValues: { messages: ["my secret diary"] },
    responseBody: "my secret diary",
    ...fields,
  });

describe("an error of a model", () => {
  it.each([
    [429, { type: "rate_limit_error" }, true],
    [529, { type: "overloaded_error" }, true],
    [500, { code: "server_error" }, true],
    [400, { type: "invalid_request_error" }, false],
    [401, { code: "invalid_api_key" }, false],
  ])("has its status %i", async (statusCode, error, isRetryable) => {
    const thrown = api({ statusCode, data: { error }, responseHeaders: { "Retry-After": "7", cookie: "c" } });
    const [named] = Object.values(error);
    const caught = await errorOf(thrown);
    expect(caught).toBeInstanceOf(AiSdkCallError);
    expect(caught).toBeInstanceOf(ModelHttpError);
    expect(caught).toMatchObject({
      message: `openai.chat answered ${statusCode} (${named})`,
      reason: "status",
      status: statusCode,
      ...error,
      isRetryable,
      retryAfterMs: 7_000,
    });
  });

  it.each([
    [307, 307, "307"],
    [0, undefined, "with a redirect"],
  ])(
    "that is a redirect, by %d, names the host without secrets of the URL",
    async (statusCode, status, answer) => {
      const url = "https://ada:pass@api.example/v1/chat?key=k";
      expect(await errorOf(api({ statusCode, url }))).toMatchObject({
        message: `openai.chat answered ${answer}; https://api.example redirects: set baseURL to the final address`,
        status,
        isRetryable: false,
      });
    },
  );

  it("isn't retryable if the credit is used up, although its status is 429", async () => {
    const error = { message: "You exceeded your quota.", code: "insufficient_quota" };
    const thrown = api({ statusCode: 429, isRetryable: true, responseBody: JSON.stringify({ error }) });
    expect(await errorOf(thrown)).toMatchObject({ status: 429, isRetryable: false });
  });

  it("has the error that the provider reports with status 200", async () => {
    const responseBody = JSON.stringify({ error: { message: "my secret diary", code: "server_error" } });
    expect(await errorOf(api({ statusCode: 200, responseBody }))).toMatchObject({
      message: "openai.chat reported an error (server_error)",
      isRetryable: true,
    });
  });

  it("has no words of the provider", async () => {
    const message = `Bad key sk-${"a1B2".repeat(12)} in 'diary'`;
    const caught = await errorOf(
      api({ statusCode: 400, responseBody: JSON.stringify({ error: { message } }) }),
    );
    expect(JSON.stringify([String(caught), caught])).not.toMatch(/sk-a1B2a1|diary/);
  });

  it("is retryable if the provider can't be reached or its response isn't valid", async () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const unreached = api({ isRetryable: true, cause: new TypeError("fetch failed", { cause: refused }) });
    expect(await errorOf(unreached)).toMatchObject({ isRetryable: true, code: "ECONNREFUSED" });
    for (const unreadable of [
      api({ statusCode: 200, message: "Invalid JSON response" }),
      new JSONParseError({ text: "my secret diary", cause: new Error("x") }),
      new InvalidResponseDataError({ data: "my secret diary" }),
    ]) {
      expect(await errorOf(unreadable)).toMatchObject({
        message: "openai.chat answered with no valid reply",
        isRetryable: true,
      });
    }
  });

  it("explains configuration errors", async () => {
    expect(await errorOf(new LoadAPIKeyError({ message: "The key is missing." }))).toMatchObject({
      message: "the call of openai.chat failed: The key is missing.",
      isRetryable: false,
    });
    expect(await errorOf(new UnsupportedFunctionalityError({ functionality: "audio" }))).toMatchObject({
      isRetryable: false,
    });
  });

  it("stays unchanged if it isn't the AI SDK's", async () => {
    const own = new DOMException("aborted", "AbortError");
    expect(await errorOf(own)).toBe(own);
  });

  it("reaches the run with its status and the time to wait, without content", async () => {
    const agent: Agent<object, string> = { name: "clerk", instructions: () => "Be brief." };
    const state = createRunState<object>({
      agentName: "clerk",
      context: {},
      messages: [{ role: "user", content: "?" }],
    });
    const thrown = api({ statusCode: 429, responseHeaders: { "retry-after": "90" } });
    const { outcome } = await run<object, string>(state, {
      agentRegistry: new Map([["clerk", agent]]),
      modelProvider: failing(thrown),
    });
    expect(outcome).toMatchObject({
      status: "error",
      error: { _tag: "ModelCallError", status: 429, attempts: 1, retryable: true, retryAfterMs: 90_000 },
    });
    expect(JSON.stringify(outcome)).not.toContain("diary");
  });
});
