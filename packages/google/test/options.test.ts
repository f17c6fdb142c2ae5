import { createRunState } from "@jaf/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGoogleProvider, type GoogleProviderOptions } from "../src/index.ts";
import { configOf } from "./support/setup.ts";

afterEach(() => vi.unstubAllEnvs());

/** The URL and content of a provider's request. */
async function asked(options: GoogleProviderOptions, environment: Readonly<Record<string, string>> = {}) {
  vi.stubEnv("GOOGLE_GENERATIVE_AI_API_KEY", environment["GOOGLE_GENERATIVE_AI_API_KEY"]);
  vi.stubEnv("GEMINI_API_KEY", environment["GEMINI_API_KEY"]);
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
    return Response.json({ candidates: [{ content: { parts: [{ text: "Ok." }] }, finishReason: "STOP" }] });
  };
  const provider = createGoogleProvider({ model: "m", fetch, ...options });
  const { config } = configOf(provider);
  const [agent] = config.agentRegistry.values();
  const state = createRunState({ agentName: "helper", context: {} });
  const { origin } = await provider.getCompletion(state, agent as never, config);
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was asked");
  return { ...request, origin, key: request.headers.get("x-goog-api-key") };
}

describe("the service", () => {
  it.each([
    [
      "GOOGLE_GENERATIVE_AI_API_KEY",
      { GOOGLE_GENERATIVE_AI_API_KEY: "AIza-a", GEMINI_API_KEY: "AIza-b" },
      "AIza-a",
    ],
    ["GEMINI_API_KEY", { GEMINI_API_KEY: "AIza-b" }, "AIza-b"],
  ])("is Google's with the key of %s by default", async (_, environment, expected) => {
    const { url, key, origin } = await asked({}, environment);
    expect(url).toBe("https://generativelanguage.googleapis.com/v1beta/models/m:generateContent");
    expect(key).toBe(expected);
    expect(origin).toEqual({ provider: "google", api: "generate-content", model: "m" });
  });

  it.each(["https://a.example/v1beta/", "http://generativelanguage.googleapis.com/v1beta"])(
    "at %s doesn't get the environment's key",
    async (baseURL) => {
      const { key, url, origin } = await asked({ baseURL }, { GEMINI_API_KEY: "AIza-env" });
      expect(key).toBeNull();
      expect(url).toBe(`${baseURL.replace(/\/$/, "")}/models/m:generateContent`);
      expect(origin?.provider).toBe(new URL(baseURL).host);
    },
  );

  it("gets the options' headers and body fields, and merges generationConfig by fields", async () => {
    const { headers, body } = await asked({
      apiKey: "k",
      headers: { "X-Title": "JAF", "x-goog-api-key": "other" },
      body: { safetySettings: [], generationConfig: { seed: 7 } },
      includeThoughts: true,
    });
    expect(Object.fromEntries(headers)).toMatchObject({ "x-goog-api-key": "other", "x-title": "JAF" });
    expect(body).toMatchObject({
      safetySettings: [],
      generationConfig: { seed: 7, thinkingConfig: { includeThoughts: true } },
    });
  });

  it.each([
    ["models/gemini-3-pro-preview", "/models/gemini-3-pro-preview:", "gemini-3-pro-preview"],
    ["tunedModels/mine", "/tunedModels/mine:", "tunedModels/mine"],
    ["a b?c", "/models/a%20b%3Fc:", "a b?c"],
  ])("is called with the path of the model %s", async (model, path, named) => {
    const { url, origin } = await asked({ apiKey: "k", model });
    expect(url).toContain(path);
    expect(origin?.model).toBe(named);
  });
});

describe("invalid options", () => {
  it.each([
    [{ baseURL: "not an address" }, /baseURL: expected an http or https URL/],
    [{ baseURL: "https://user:AIza-secret@host.example" }, /baseURL: expected an http or https URL/],
    [{ outputFormat: "xml" }, /outputFormat/],
    [{ apikey: "AIza-secret" }, /apikey/],
    [{ fetch: 7 }, /fetch: expected a function/],
    [{ cacheRegistry: {} }, /cacheRegistry: expected a GoogleCacheRegistry/],
  ])("reports the fields of %j without quoting a key", (options, message) => {
    const create = () =>
      createGoogleProvider({ apiKey: "AIza-secret", ...options } as unknown as GoogleProviderOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/AIza-secret/);
  });

  it("throws if Google's key is missing", () => {
    vi.stubEnv("GOOGLE_GENERATIVE_AI_API_KEY", "");
    vi.stubEnv("GEMINI_API_KEY", "");
    expect(() => createGoogleProvider()).toThrow(/GOOGLE_GENERATIVE_AI_API_KEY/);
  });
});
