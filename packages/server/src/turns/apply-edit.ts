import { saidMessages } from "./said-messages.ts";
import { appendRepeatedly } from "./server-write.ts";
import type { ConversationBase } from "./stored-request.ts";
import type { TurnRunOptions } from "./turn-parts.ts";

/** Drops what is edited and appends the input, in one step, once. `undefined`: there is no input. */
export async function applyEdit<Ctx>(
  { scope, request, conversationId, turnId }: TurnRunOptions<Ctx>,
  base: ConversationBase,
) {
  const said = saidMessages(request.input);
  if (said === undefined || said.length === 0) return undefined;
  return appendRepeatedly(scope.settings.provider, {
    ...{ conversationId, messages: said },
    metadata: { userId: request.identity.userId, traceId: turnId },
    options: {
      dropLast: request.dropLast ?? 0,
      expectedVersion: base.version,
      expectedIncarnation: base.incarnation,
      idempotencyKey: `${turnId}:edit`,
    },
  });
}
