import type { ModelCompletion } from "@jaf/core";
import { fieldsOf } from "../fields.ts";
import type { KnownModel } from "../model.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { messageOf } from "./message.ts";
import { usageOf } from "./usage.ts";

/** What `doGenerate` resolved with. */
export function completionOf(result: unknown, { origin }: KnownModel): ModelCompletion {
  const reply = fieldsOf(result);
  const content: readonly unknown[] = Array.isArray(reply["content"]) ? reply["content"] : [];
  const { reason } = finishReasonOf(reply["finishReason"]);
  const usage = usageOf(reply["usage"]);
  return {
    message: messageOf(content, reply),
    origin,
    ...(reason === undefined ? {} : { finish_reason: reason }),
    ...(usage === undefined ? {} : { usage }),
  };
}
