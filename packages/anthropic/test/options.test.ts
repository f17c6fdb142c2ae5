import { createRunState } from "@jaf/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type AnthropicProviderOptions, createAnthropicProvider } from "../src/index.ts";
import { configOf } from "./support/setup.ts";

afterEach(() => vi.unstubAllEnvs());

/** The URL and content of a provider's request. */
async function asked(options: AnthropicProviderOptions, environment: Readonly<Record<string, string>> = {}) {
  vi.stubEnv("ANTHROPIC_API_KEY", environment["ANTHROPIC_API_KEY"]);
  vi.stubEnv("ANTHROPIC_BASE_URL", environment["ANTHROPIC_BASE_URL"]);
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
    return Response.json({ content: [{ type: "text", text: "Ok." }] });
  };
  const provider = createAnthropicProvider({ model: "m", fetch, ...options });
  const { config } = configOf(provider);
  const [agent] = config.agentRegistry.values();
  const { origin } = await provider.getCompletion(
    createRunState({ agentName: "helper", context: {} }),
    agent as never,
    config,
  );
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was asked");
  return { ...request, origin, key: request.headers.get("x-api-key") };
}

describe("the service", () => {
  it("is Anthropic's with the environment's key by default", async () => {
    const { url, key, origin, body, headers } = await asked({}, { ANTHROPIC_API_KEY: "sk-env" });
    expect(url).toBe("https://api.anthropic.com/v1/messages");
    expect(key).toBe("sk-env");
    expect(headers.get("anthropic-version")).toBe("2023-06-01");
    expect(headers.get("anthropic-beta")).toBeNull();
    expect(origin).toEqual({ provider: "anthropic", api: "messages", model: "m" });
    expect(body["max_tokens"]).toBe(16_384);
  });

  it.each(["http://localhost:8080", "http://localhost:8080/", "http://localhost:8080/v1"])(
    "is the environment's: %s",
    async (address) => {
      const { url, key, origin } = await asked(
        {},
        { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "sk-env" },
      );
      expect(url).toBe("http://localhost:8080/v1/messages");
      expect(key).toBe("sk-env");
      expect(origin?.provider).toBe("localhost:8080");
    },
  );

  it("gets the environment's key if the options set the same URL", async () => {
    const environment = { ANTHROPIC_API_KEY: "sk-env", ANTHROPIC_BASE_URL: "http://localhost:8080/" };
    expect((await asked({ baseURL: "http://localhost:8080/v1" }, environment)).key).toBe("sk-env");
  });

  it("doesn't get the environment's key if the options set another host", async () => {
    const { key } = await asked({ baseURL: "https://a.example" }, { ANTHROPIC_API_KEY: "sk-env" });
    expect(key).toBeNull();
  });

  it("gets the options' headers, betas and body fields", async () => {
    const { headers, body, key } = await asked({
      apiKey: "k",
      headers: { Authorization: "Bearer t", "Anthropic-Beta": "x" },
      betas: ["y", "z"],
      body: { metadata: { user_id: "ada" } },
      maxTokens: 9,
    });
    expect(key).toBe("k");
    expect(headers.get("authorization")).toBe("Bearer t");
    expect(headers.get("anthropic-beta")).toBe("x,y,z");
    expect(body).toMatchObject({ metadata: { user_id: "ada" }, max_tokens: 9 });
  });

  it("with another name has its own provider options", async () => {
    const { origin } = await asked({ baseURL: "https://a.example", provider: "bedrock" });
    expect(origin).toEqual({ provider: "bedrock", api: "messages", model: "m" });
  });

  it("accepts a token in place of a key for Anthropic", async () => {
    expect((await asked({ headers: { authorization: "Bearer t" } })).key).toBeNull();
  });
});

describe("invalid options", () => {
  it.each([
    [{ baseURL: "not an address" }, /baseURL: expected an http or https URL/],
    [{ baseURL: "https://user:sk-secret@host.example" }, /baseURL: expected an http or https URL/],
    [{ outputFormat: "xml" }, /outputFormat/],
    [{ maxTokens: 0 }, /maxTokens/],
    [{ maxContinuations: -1 }, /maxContinuations/],
    [{ prefixMismatch: "ignore" }, /prefixMismatch/],
    [{ apikey: "sk-secret" }, /apikey/],
    [{ fetch: 7 }, /fetch: expected a function/],
  ])("reports the fields of %j without quoting a key", (options, message) => {
    const create = () =>
      createAnthropicProvider({ apiKey: "sk-secret", ...options } as AnthropicProviderOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/sk-secret/);
  });

  it("throws if Anthropic's key is missing or the environment's URL is invalid", () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    vi.stubEnv("ANTHROPIC_BASE_URL", "");
    expect(() => createAnthropicProvider()).toThrow(/ANTHROPIC_API_KEY/);
    vi.stubEnv("ANTHROPIC_BASE_URL", "nowhere");
    expect(() => createAnthropicProvider()).toThrow(/ANTHROPIC_BASE_URL/);
  });
});
