import type { RichMessage } from "@jaf/memory";
import { isExact, ownField } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isObject } from "@jaf/model-http";

/**
 * The extra field `aiSdk` of the first message that a message of the AI SDK was stored as. It holds what the standard form
 * can't express, so that the message comes back exactly.
 */
export interface Original {
  readonly kind: "ui" | "model";
  /** The number of stored messages that express the message of the AI SDK. */
  readonly messages: number;
  /** The fields of the message that the stored messages lack, e.g. `metadata`. Absent: there are none. */
  readonly fields?: Fields;
  /** The parts. Absent: they are exactly the parts that the stored messages convert to. */
  readonly parts?: readonly PartEntry[];
}

/**
 * A part of a message: the number of an equal part among those that the stored messages convert to, or this number and the
 * fields that the equal part lacks, or the whole part.
 */
export type PartEntry = number | readonly [number, Fields] | Fields;

/** Any part of a message of the AI SDK. */
export type AnyPart = Fields & { readonly type: string };

/** Returns the fields of `full` that `part` lacks. Returns `undefined` if a field of `part` differs in `full`. */
export function fieldsBeyond(part: Fields, full: Fields): Fields | undefined {
  const isIn = Object.keys(part).every((key) => isExact(ownField(part, key), ownField(full, key)));
  if (!isIn) return undefined;
  return Object.fromEntries(
    Object.entries(full).filter(([key, value]) => value !== undefined && ownField(part, key) === undefined),
  );
}

/** Among how many of the next converted parts an original part is looked for. */
const LOOKAHEAD = 32;

/** Expresses parts by the equal parts among `converted`, which are in the same order. */
export function partEntries(parts: readonly object[], converted: readonly object[]): PartEntry[] {
  let next = 0;
  return parts.map((part): PartEntry => {
    const end = Math.min(converted.length, next + LOOKAHEAD);
    for (let index = next; index < end; index++) {
      const beyond = fieldsBeyond({ ...converted[index] }, { ...part });
      if (beyond === undefined) continue;
      next = index + 1;
      return Object.keys(beyond).length === 0 ? index : [index, beyond];
    }
    return { ...part };
  });
}

/** Returns the part that an entry stands for. The entry may come from elsewhere, so its shape is checked. */
export function partOf(entry: unknown, converted: readonly object[]): AnyPart | undefined {
  const [index, beyond]: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
  if (typeof index !== "number") return isPart(index) ? index : undefined;
  const part = { ...converted[index], ...fieldsOf(beyond) };
  return isPart(part) ? part : undefined;
}

const isPart = (value: unknown): value is AnyPart => typeof fieldsOf(value)["type"] === "string";

/** Returns the original of this kind that a message carries. Its shape is checked, since the field may come from elsewhere. */
export function originalIn(message: RichMessage | undefined, kind: Original["kind"]): Original | undefined {
  const { kind: storedKind, messages, fields, parts } = fieldsOf(message?.["aiSdk"]);
  const isCount = typeof messages === "number" && Number.isSafeInteger(messages) && messages >= 1;
  if (storedKind !== kind || !isCount) return undefined;
  return {
    kind,
    messages,
    ...(isObject(fields) ? { fields } : {}),
    ...(Array.isArray(parts) ? { parts } : {}),
  };
}
