import { geminiError, openGeminiCache } from "./gemini-cache.ts";
import { candidateOf, chunksOf, isSigned, keyOf, partsOf } from "./gemini-reply.ts";
import { checkContents } from "./gemini-rules.ts";
import { type FakeOptions, type FakeService, startModelService } from "./model-service.ts";
import { Refusal } from "./service.ts";

/**
 * Gemini's `generateContent` for a model of the third generation or later, with its documented rules: calls after a user
 * message or after results, as many results as calls, and, in the current turn, a thought signature on the first call of
 * each step that matches its part. For a foreign history, the documented `skip_thought_signature_validator` replaces a
 * signature.
 */
export function startGemini({ next, opaque }: FakeOptions): Promise<FakeService> {
  const cache = openGeminiCache();
  return startModelService({
    opaque,
    errorBody: geminiError,
    answer: (request, { judge, gave }) => {
      if (request.path === "/v1beta/cachedContents") {
        if (request.headers["x-goog-api-key"] === undefined)
          throw new Refusal("Method doesn't allow unregistered callers.", 403);
        return { kind: "json", body: cache.create(request.body) };
      }
      const path = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent\?alt=sse)$/.exec(
        request.path,
      );
      if (path === null) throw new Refusal("Requested entity was not found.", 404);
      if (request.headers["x-goog-api-key"] === undefined)
        throw new Refusal("Method doesn't allow unregistered callers.", 403);
      const [, model = "", method] = path;
      const owner = `google/${model}`;
      const kept = cache.named(request.body, model);
      const contents = checkContents(request.body, { owner, opaque }, kept?.body);
      judge(
        owner,
        request,
        contents.flatMap(({ role, parts }) =>
          parts.filter(({ thought }) => thought !== true).map((part) => keyOf(role, part)),
        ),
      );

      const reply = next(request.body);
      const parts = partsOf(reply, { owner, opaque });
      const said = parts.filter(({ thought }) => thought !== true);
      gave(owner, {
        // Thoughts needn't come back, because the signatures contain them.
        parts: said.map((part) => keyOf("model", part)),
        isOpaque: said.some(isSigned),
      });
      return method === "generateContent"
        ? { kind: "json", body: candidateOf(model, parts) }
        : { kind: "stream", events: chunksOf(model, parts).map((data) => ({ data })) };
    },
  });
}
