import type { FoldedTurn, PositionedMessage } from "@jaf/server/client";

/** What the user said while a turn ran. */
export interface SentText {
  readonly key: string;
  readonly text: string;
  /** The position of the last stored message when it was sent; -1 without any. */
  readonly after: number;
}

interface Taken {
  readonly messages: readonly PositionedMessage[];
  readonly turn: FoldedTurn | undefined;
}

/** Returns the texts that no turn has taken yet, as far as the stored messages and the shown turn tell. */
export function stillWaiting(sent: readonly SentText[], { messages, turn }: Taken): readonly SentText[] {
  const told = (turn?.items ?? []).flatMap((item) => (item.type === "input" ? [item.message.content] : []));
  const from = turn?.position ?? Number.POSITIVE_INFINITY;
  const taken = [
    ...messages.filter(({ position }) => position < from),
    ...told.map((content) => ({ position: from, message: { role: "user", content } })),
  ].filter(({ message }) => message.role === "user");
  return sent.filter(({ text, after }) => {
    const at = taken.findIndex(({ position, message }) => position > after && message.content === text);
    if (at !== -1) taken.splice(at, 1);
    return at === -1;
  });
}
