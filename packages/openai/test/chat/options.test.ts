import { createRunState } from "@jaf/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOpenAIProvider, type OpenAIProviderOptions } from "../../src/index.ts";
import { configOf } from "../support/setup.ts";

afterEach(() => vi.unstubAllEnvs());

/** The URL and content of a provider's request. */
async function asked(options: OpenAIProviderOptions, environment: Readonly<Record<string, string>> = {}) {
  vi.stubEnv("OPENAI_API_KEY", environment["OPENAI_API_KEY"]);
  vi.stubEnv("OPENAI_BASE_URL", environment["OPENAI_BASE_URL"]);
  const requests: {
    readonly url: string;
    readonly headers: Headers;
    readonly body: Readonly<Record<string, unknown>>;
  }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push({
      url: String(url),
      headers: new Headers(init?.headers),
      body: JSON.parse(String(init?.body)),
    });
    return Response.json({ choices: [{ message: { content: "Ok." } }] });
  };
  const provider = createOpenAIProvider({ model: "m", fetch, ...options });
  const { config } = configOf(provider, { modelConfig: { maxTokens: 9 } });
  const [agent] = config.agentRegistry.values();
  const { origin } = await provider.getCompletion(
    createRunState({ agentName: "helper", context: {} }),
    agent as never,
    config,
  );
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was asked");
  return { ...request, origin, authorization: request.headers.get("authorization") };
}

describe("the endpoint", () => {
  it("is OpenAI's with the environment's key by default", async () => {
    const { url, authorization, origin, body } = await asked({}, { OPENAI_API_KEY: "sk-env" });
    expect(url).toBe("https://api.openai.com/v1/chat/completions");
    expect(authorization).toBe("Bearer sk-env");
    expect(origin).toEqual({ provider: "openai", api: "chat", model: "m" });
    expect(body["max_completion_tokens"]).toBe(9);
  });

  it("is the environment's, without a key if none is set", async () => {
    const { url, authorization, origin } = await asked({}, { OPENAI_BASE_URL: "http://localhost:11434/v1/" });
    expect(url).toBe("http://localhost:11434/v1/chat/completions");
    expect(authorization).toBeNull();
    expect(origin?.provider).toBe("localhost:11434");
  });

  it("doesn't get the environment's key if the options set another host", async () => {
    const { authorization } = await asked({ baseURL: "https://a.example/v1" }, { OPENAI_API_KEY: "sk-env" });
    expect(authorization).toBeNull();
  });

  it("gets the options' headers, organization and body fields", async () => {
    const { headers, body } = await asked({
      apiKey: "k",
      organization: "org",
      project: "proj",
      headers: { "X-Title": "JAF", Authorization: "Token k" },
      body: { seed: 7 },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      authorization: "Token k",
      "openai-organization": "org",
      "openai-project": "proj",
      "x-title": "JAF",
    });
    expect(body["seed"]).toBe(7);
  });

  it.each([
    ["https://api.deepseek.com", "deepseek-chat", "max_tokens"],
    ["https://x.openai.azure.com/openai/v1", "gpt-5", "max_completion_tokens"],
    ["https://x.cognitiveservices.azure.com/openai/v1", "gpt-5", "max_completion_tokens"],
    ["https://x.services.ai.azure.com/openai/v1", "gpt-5", "max_completion_tokens"],
    ["http://localhost:8000/v1", "gpt-oss", "max_tokens"],
  ])("of %s gets its dialect", async (baseURL, model, field) => {
    expect((await asked({ baseURL, model })).body[field]).toBe(9);
  });
});

describe("invalid options", () => {
  it.each([
    [{ baseURL: "not an address" }, /baseURL: expected an http or https URL/],
    [{ baseURL: "https://user:sk-secret@host.example" }, /baseURL: expected an http or https URL/],
    [{ dialect: "klingon" }, /dialect/],
    [{ apikey: "sk-secret" }, /apikey/],
    [{ fetch: 7 }, /fetch: expected a function/],
  ])("reports the fields of %j without quoting a key", (options, message) => {
    const create = () => createOpenAIProvider({ apiKey: "sk-secret", ...options } as OpenAIProviderOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/sk-secret/);
  });

  it("throws if OpenAI's key is missing", () => {
    vi.stubEnv("OPENAI_API_KEY", "");
    vi.stubEnv("OPENAI_BASE_URL", "");
    expect(() => createOpenAIProvider()).toThrow(/OPENAI_API_KEY/);
  });
});
