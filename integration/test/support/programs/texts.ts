import type { Message } from "@jaf/memory";
import type { Place } from "./history.ts";

/** The unique prefix of all texts of an operation. */
export const tokenOf = (seed: number, { worker, operation }: Pick<Place, "worker" | "operation">): string =>
  `${seed}:${worker}.${operation}`;

/** `name` tells batches of one operation apart. */
export function batchOf(token: string, size: number, name = ""): readonly Message[] {
  return Array.from({ length: size }, (_, index): Message => {
    const content = `${token} batch${name} ${index + 1}/${size}`;
    return index % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
  });
}

export const questionOf = (token: string): string => `${token} question`;

/** A text of a batch, or of a run. A run's question is its first. */
export type ParsedText =
  | { readonly kind: "batch"; readonly batch: string; readonly index: number; readonly size: number }
  | { readonly kind: "run"; readonly token: string; readonly isQuestion: boolean };

/** `undefined` for a text that no operation writes. */
export function parseText(text: string): ParsedText | undefined {
  const batch = /^(.+ batch\S*) (\d)\/(\d)$/.exec(text);
  if (batch !== null) {
    const [, name = "", place, size] = batch;
    return { kind: "batch", batch: name, index: Number(place) - 1, size: Number(size) };
  }
  const said = /^(\S+) (question|reply|result)/.exec(text);
  const [, token, what] = said ?? [];
  return token === undefined ? undefined : { kind: "run", token, isQuestion: what === "question" };
}
