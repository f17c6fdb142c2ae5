import { checkBetas } from "./anthropic-betas.ts";
import { checkCache } from "./anthropic-cache.ts";
import { contentOf, isOpaque, keyOf, messageOf, streamOf } from "./anthropic-reply.ts";
import { checkMessages } from "./anthropic-rules.ts";
import { bindsPrefix, checkThinking, digestsOf, isThinking } from "./anthropic-thinking.ts";
import { type FakeOptions, type FakeService, startModelService } from "./model-service.ts";
import { type JsonObject, Refusal, textOf } from "./service.ts";

/**
 * Anthropic's Messages API with its documented rules: alternating roles; calls answered immediately and first; thinking
 * blocks with a signature for their text and model, first in a tool turn while thinking is `enabled`; and unchanged earlier
 * content for models that bind thinking to it.
 *
 * Two rules are stricter than the service's: it refuses another model's blocks, which newer models silently ignore, and
 * consecutive messages of one role, which the service joins today.
 */
export function startAnthropic({ next, opaque }: FakeOptions): Promise<FakeService> {
  /** By opaque value of a thinking block, a digest of all earlier content. */
  const prefixes = new Map<string, string>();
  /** The searches of paused turns, by their ids. */
  const results = new Map<string, JsonObject>();
  return startModelService({
    opaque,
    errorBody: (refusal) => ({
      type: "error",
      error: { type: refusal.code ?? "invalid_request_error", message: refusal.message },
    }),
    answer: (request, { judge, gave }) => {
      const { body, headers } = request;
      if (request.path !== "/v1/messages") throw new Refusal("Not found", 404, "not_found_error");
      if (headers["x-api-key"] === undefined)
        throw new Refusal("x-api-key header is required", 401, "authentication_error");
      if (headers["anthropic-version"] === undefined)
        throw new Refusal("anthropic-version: header is required");
      if (typeof body["max_tokens"] !== "number") throw new Refusal("max_tokens: Field required");
      const model = textOf(body["model"], "model");
      const owner = `anthropic/${model}`;
      const messages = checkMessages(body);
      checkCache(body, messages);
      checkBetas(body, messages, headers["anthropic-beta"] ?? "");
      checkThinking({ request, messages, model, owner, opaque, prefixes });
      const sent = messages.flatMap(({ role, blocks }) => blocks.map((block) => ({ role, block })));
      judge(
        owner,
        request,
        sent.map(({ role, block }) => keyOf(role, block)),
      );

      const { thoughts = [], ...spoken } = next(body);
      const reply = { ...spoken, thoughts: isThinking(body, model) ? thoughts : [] };
      const found = results.get(String(messages.at(-1)?.blocks.at(-1)?.["id"]));
      const made = contentOf(reply, { owner, opaque, omitsThoughts: bindsPrefix(model) });
      const whole = found === undefined ? made : [found, ...made];
      const content = reply.pauses === true ? whole.slice(0, -1) : whole;
      if (reply.pauses === true) results.set(String(content.at(-1)?.["id"]), whole.at(-1) ?? {});
      const given = content.map((block) => ({ role: "assistant", block }));
      for (const [value, digest] of digestsOf(body, sent, given)) prefixes.set(value, digest);
      gave(owner, {
        parts: content.map((block) => keyOf("assistant", block)),
        isOpaque: content.some(isOpaque),
      });
      const message = messageOf(model, reply);
      return body["stream"] === true
        ? { kind: "stream", events: streamOf(message, content) }
        : { kind: "json", body: { ...message, content } };
    },
  });
}
