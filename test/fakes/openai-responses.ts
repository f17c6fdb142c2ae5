import { type FakeOptions, type FakeService, startModelService } from "./model-service.ts";
import type { Owner } from "./opaque-values.ts";
import { checkBody } from "./openai-responses-body-rules.ts";
import { itemsOf, keyOf, responseOf } from "./openai-responses-reply.ts";
import { checkItems } from "./openai-responses-rules.ts";
import { streamOf } from "./openai-responses-stream.ts";
import { isList, Refusal, textOf } from "./service.ts";

/**
 * OpenAI's Responses API without its store (`store: false`), with its documented rules: nothing is found by an id, a
 * reasoning item has its encrypted content and comes directly before its item, an item with an id comes with its reasoning,
 * and each call has one output.
 *
 * Requests with the default of `store` are refused, because this fake stores nothing.
 */
export function startResponses({ next, opaque }: FakeOptions): Promise<FakeService> {
  /** By an item's id, the id of the reasoning before it. */
  const reasonedFor = new Map<string, string>();
  const known = new Map<Owner, Set<string>>();
  return startModelService({
    opaque,
    errorBody: (refusal) => ({
      error: {
        type: "invalid_request_error",
        message: refusal.message,
        code: refusal.code ?? null,
        param: null,
      },
    }),
    answer: (request, { judge, gave }) => {
      const { body, headers } = request;
      if (request.path !== "/v1/responses") throw new Refusal("Invalid URL", 404);
      if (headers["authorization"]?.startsWith("Bearer ") !== true)
        throw new Refusal("You didn't provide an API key.", 401);
      if (body["store"] !== false) throw new Refusal("This fake stores nothing: `store` must be false");
      const model = textOf(body["model"], "model");
      const owner = `openai/${model}`;
      checkBody(body);
      const items = checkItems(body, { owner, opaque, reasonedFor, known: known.get(owner) ?? new Set() });
      judge(owner, request, items.map(keyOf));

      const reply = next(body);
      const includes = body["include"];
      const isEncrypted = isList(includes) && includes.includes("reasoning.encrypted_content");
      const output = itemsOf(reply, { owner, opaque, isEncrypted });
      known.set(owner, new Set([...(known.get(owner) ?? []), ...output.map(({ id }) => String(id))]));
      for (const [index, item] of output.entries()) {
        const before = output[index - 1];
        if (before?.["type"] === "reasoning") reasonedFor.set(String(item["id"]), String(before["id"]));
      }
      gave(owner, {
        parts: output.map(keyOf),
        isOpaque: output.some(({ type }) => type === "reasoning"),
      });
      const response = responseOf(model);
      return body["stream"] === true
        ? { kind: "stream", events: streamOf(response, output) }
        : { kind: "json", body: { ...response, output } };
    },
  });
}
