import { run } from "@jaf/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOpenAIResponsesProvider, type OpenAIResponsesProviderOptions } from "../../src/index.ts";
import { message } from "../support/responses.ts";
import { configOf, rich, says } from "../support/setup.ts";

afterEach(() => vi.unstubAllEnvs());

/** The URL and content of a provider's request. */
async function asked(
  options: OpenAIResponsesProviderOptions,
  environment: Readonly<Record<string, string>> = {},
) {
  vi.stubEnv("OPENAI_API_KEY", environment["OPENAI_API_KEY"]);
  vi.stubEnv("OPENAI_BASE_URL", environment["OPENAI_BASE_URL"]);
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push(new Request(url, init));
    return Response.json({ status: "completed", output: [message("Ok.")] });
  };
  const provider = createOpenAIResponsesProvider({ model: "m", fetch, ...options });
  const result = await run<unknown, unknown>(says("Hi"), configOf(provider).config);
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was asked");
  const body = (await request.json()) as Readonly<Record<string, unknown>>;
  return { request, body, origin: rich(result)[1]?.origin };
}

describe("the endpoint", () => {
  it("is OpenAI's with the environment's key by default", async () => {
    const { request, body, origin } = await asked({}, { OPENAI_API_KEY: "sk-env" });
    expect(request.url).toBe("https://api.openai.com/v1/responses");
    expect(request.headers.get("authorization")).toBe("Bearer sk-env");
    expect(origin).toEqual({ provider: "openai", api: "responses", model: "m" });
    expect(body["include"]).toEqual(["reasoning.encrypted_content"]);
  });

  it("doesn't get the environment's key if the options set another host", async () => {
    const { request, body, origin } = await asked(
      { baseURL: "http://localhost:11434/v1/" },
      { OPENAI_API_KEY: "sk-env" },
    );
    expect(request.url).toBe("http://localhost:11434/v1/responses");
    expect(request.headers.get("authorization")).toBeNull();
    expect(origin?.provider).toBe("localhost:11434");
    expect(body["include"]).toBeUndefined();
  });

  it("gets the options' headers, organization and body fields", async () => {
    const { request, body } = await asked({
      apiKey: "k",
      organization: "org",
      project: "proj",
      headers: { "X-Title": "JAF" },
      body: { metadata: { a: "b" } },
    });
    expect(Object.fromEntries(request.headers)).toMatchObject({
      "openai-organization": "org",
      "openai-project": "proj",
      "x-title": "JAF",
    });
    expect(body["metadata"]).toEqual({ a: "b" });
  });
});

describe("invalid options", () => {
  it.each([
    [{ baseURL: "not an address" }, /createOpenAIResponsesProvider: baseURL: expected an http or https URL/],
    [{ dialect: "deepseek" }, /dialect/],
    [{ store: "yes" }, /store/],
    [{ reasoningSummary: "long" }, /reasoningSummary/],
    [{ outputFormat: "json_object" }, /outputFormat/],
    [{ streamUsage: true }, /streamUsage/],
    [{ apikey: "sk-secret" }, /apikey/],
    [{ fetch: 7 }, /fetch: expected a function/],
  ])("reports the fields of %j without quoting a key", (options, expected) => {
    const create = () =>
      createOpenAIResponsesProvider({ apiKey: "sk-secret", ...options } as OpenAIResponsesProviderOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(expected);
    expect(create).not.toThrow(/sk-secret/);
  });

  it("throws if OpenAI's key is missing", () => {
    vi.stubEnv("OPENAI_API_KEY", "");
    vi.stubEnv("OPENAI_BASE_URL", "");
    expect(() => createOpenAIResponsesProvider()).toThrow(
      /createOpenAIResponsesProvider: set OPENAI_API_KEY/,
    );
  });
});
