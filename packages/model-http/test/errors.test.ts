import { describe, expect, it } from "vitest";
import { errorIn, ModelHttpError } from "../src/index.ts";
import { errors, TestError } from "./support/http-service.ts";

const QUOTED = "The key sk-secret and «what was said»";

const URL_WITH_SECRETS = "https://ada:pass-word@models.test/k-e-y/v1/chat?key=AIza-q#f";

const ofStatus = (
  status: number,
  body: unknown = "",
  {
    hasKey = true,
    headers = {},
  }: { readonly hasKey?: boolean; readonly headers?: Record<string, string> } = {},
) =>
  errors.ofStatus(new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers }), {
    url: URL_WITH_SECRETS,
    provider: "mine",
    hasKey,
  });

describe("a response with the status", () => {
  it.each([408, 409, 429, 500, 502, 503, 504, 529])("%d is retryable", async (status) => {
    const error = await ofStatus(status);
    expect(error).toBeInstanceOf(TestError);
    expect(error).toBeInstanceOf(ModelHttpError);
    expect(error).toMatchObject({ reason: "status", status, isRetryable: true, retryAfterMs: undefined });
  });

  it.each([400, 401, 402, 403, 404, 413, 422])("%d isn't retryable", async (status) => {
    expect(await ofStatus(status)).toMatchObject({ reason: "status", status, isRetryable: false });
  });

  it.each(["insufficient_quota", "billing_not_active", "billing_error"])(
    "429 may not where the credit is used up, as %s says",
    async (name) => {
      for (const error of [{ code: name }, { type: name }])
        expect(await ofStatus(429, { error })).toMatchObject({ status: 429, isRetryable: false });
    },
  );

  it("429 has the time to wait in its headers, where the engine reads it", async () => {
    const headers = { "retry-after": "0.2" };
    expect(await ofStatus(429, "", { headers })).toMatchObject({
      retryAfterMs: 200,
      headers: { "retry-after-ms": "200" },
    });
    const details = [{ retryDelay: "3s" }];
    expect(await ofStatus(429, { error: { details } })).toMatchObject({ retryAfterMs: 3_000 });
  });

  it("401 says that no key was sent, if none was", async () => {
    const error = { code: "invalid_api_key" };
    expect(String(await ofStatus(401, { error }))).toBe("TestError: mine answered 401 (invalid_api_key)");
    expect(String(await ofStatus(401, { error }, { hasKey: false }))).toBe(
      "TestError: mine answered 401 (invalid_api_key); no key was sent: pass apiKey",
    );
  });
});

describe("a redirect", () => {
  const redirects = "https://models.test redirects: set baseURL to the final address";

  it.each([300, 301, 302, 303, 305, 307, 308])(
    "by %d names the host without secrets of the URL",
    async (status) => {
      const error = await ofStatus(status, QUOTED, { headers: { location: "https://other.test/?token=t" } });
      expect(error).toMatchObject({ reason: "status", status, code: undefined, isRetryable: false });
      expect(error.message).toBe(`mine answered ${status}; ${redirects}`);
    },
  );

  it("whose status a browser hides has none", async () => {
    // Like an opaque redirect: the status 0, no headers, no body.
    const asked = { url: URL_WITH_SECRETS, provider: "mine", hasKey: true };
    const error = await errors.ofStatus(Response.error(), asked);
    expect(error).toMatchObject({ reason: "status", status: undefined, isRetryable: false });
    expect(error.message).toBe(`mine answered with a redirect; ${redirects}`);
  });
});

describe("the body of an error", () => {
  it("is read if it quotes a long request", async () => {
    const error = await ofStatus(429, {
      error: { code: "insufficient_quota", message: "x".repeat(500_000) },
    });
    expect(error).toMatchObject({ isRetryable: false });
  });

  it.each([
    ["OpenAI's", { error: { message: QUOTED, type: "t", param: "messages[0].name", code: "c" } }, "c", "t"],
    ["Anthropic's", { type: "error", error: { type: "t", message: QUOTED } }, undefined, "t"],
    ["Google's", { error: { code: 400, status: "T", message: QUOTED } }, "400", "T"],
    ["Google's in a list", [{ error: { code: 400, status: "T", message: QUOTED } }], "400", "T"],
    ["without a wrapping", { code: "c", message: QUOTED }, "c", undefined],
  ])("that is %s has its codes without sentences", async (_, body, code, type) => {
    const error = await ofStatus(400, body);
    expect(error).toMatchObject({ code, type });
    const name = code === undefined || code === "400" ? type : code;
    expect(error.message).toBe(`mine answered 400 (${name})`);
    expect(JSON.stringify({ ...error })).not.toMatch(/sk-|«/);
  });

  it.each([
    ["a text", { error: QUOTED }],
    ["no JSON", QUOTED],
    ["a page", "<html>Bad gateway</html>"],
    ["nothing", ""],
    ["a key in place of a name", { error: { code: "sk-secret", type: "AIzaSecret", param: "sk-x" } }],
    ["a sentence in place of a name", { error: { code: QUOTED, type: "x".repeat(65) } }],
  ])("that is %s has no codes", async (_, body) => {
    const error = await ofStatus(400, body);
    expect(error.message).toBe("mine answered 400");
    expect(error).toMatchObject({ code: undefined, type: undefined, param: undefined });
  });

  it.each(["x-request-id", "request-id"])("has the request id from %s", async (name) => {
    expect(await ofStatus(500, "", { headers: { [name]: "req_1" } })).toMatchObject({ requestId: "req_1" });
  });

  it("is read from `error`, of a list from its first item", () => {
    expect(errorIn({ error: "x" })).toBe("x");
    expect(errorIn([{ error: { a: 1 } }, { error: "y" }])).toEqual({ a: 1 });
    for (const none of [{}, { error: null }, [], "error", undefined]) expect(errorIn(none)).toBeUndefined();
  });
});

describe("an error inside a 200", () => {
  it.each([
    { code: 502 },
    { code: "529" },
    { code: 429 },
    { type: "overloaded_error" },
    { type: "api_error" },
    { type: "rate_limit_error" },
    { code: "server_error" },
    { code: "rate_limit_exceeded" },
    { code: "vector_store_timeout" },
    { code: 503, status: "UNAVAILABLE" },
    { message: QUOTED },
    QUOTED,
    undefined,
  ])("is retryable: %j", (error) => {
    const reported = errors.reported(error, "mine");
    expect(reported).toMatchObject({ name: "TestError", reason: "reported", isRetryable: true });
    expect(reported.message).toMatch(/^mine reported an error( \([\w.]+\))?$/);
  });

  it.each([
    { code: 400 },
    { code: 400, status: "INVALID_ARGUMENT" },
    { type: "invalid_request_error" },
    { type: "billing_error" },
    { type: "authentication_error" },
    { type: "permission_error" },
    { type: "not_found_error" },
    { status: "UNAUTHENTICATED" },
    { status: "FAILED_PRECONDITION" },
    { type: "request_too_large" },
    { code: "insufficient_quota" },
    { code: 429, type: "insufficient_quota" },
    { code: "content_filter" },
    { code: "context_length_exceeded" },
    { code: "invalid_prompt" },
    { code: "image_content_policy_violation" },
    { code: "empty_image_file" },
    { code: "image_parse_error" },
    { code: "image_too_small" },
    { code: "unsupported_image_media_type" },
  ])("isn't retryable: %j", (error) => {
    expect(errors.reported(error, "mine")).toMatchObject({ reason: "reported", isRetryable: false });
  });

  it.each([
    [{ code: 502 }, 502],
    [{ code: 200 }, undefined],
    [{ code: "server_error" }, undefined],
  ])("of %j has the status %s", (error, status) => {
    expect(errors.reported(error, "mine").status).toBe(status);
  });

  it("has the time to wait", () => {
    const details = [{ retryDelay: "3s" }];
    expect(errors.reported({ code: 429, details }, "mine").retryAfterMs).toBe(3_000);
  });
});

describe("an error without a service error", () => {
  it("describes the problem in our own words", () => {
    const cause = new Error("socket");
    expect(errors.malformed("mine", "no reply")).toMatchObject({
      reason: "malformed",
      message: "mine answered with no reply",
      isRetryable: true,
    });
    expect(errors.cut("mine", cause)).toMatchObject({ reason: "cut", isRetryable: true, cause });
    expect(errors.configuration("set it")).toMatchObject({
      reason: "configuration",
      message: "set it",
      isRetryable: false,
    });
  });
});
