import { encodeArguments } from "./encode-arguments.ts";

/** From the outside in: which fields and places of lists lead to a part of a value. */
export type Path = readonly string[];

/** Where two values differ, as deep as fields and lists go. What only one of them has is a difference at that place. */
export function differencesOf(one: unknown, other: unknown): readonly Path[] {
  const ones = partsOf(one);
  const others = partsOf(other);
  if (ones === undefined || others === undefined || Array.isArray(one) !== Array.isArray(other)) {
    return isSame(one, other) ? [] : [[]];
  }
  const keys = new Set([...ones.keys(), ...others.keys()]);
  return [...keys].flatMap((key) =>
    differencesOf(ones.get(key), others.get(key)).map((path) => [key, ...path]),
  );
}

/** Whether every difference lies at or within one of the places. */
export const areWithin = (differences: readonly Path[], places: readonly Path[]): boolean =>
  differences.every((path) => places.some((place) => place.every((key, index) => key === path[index])));

/** The fields of a plain object, the items of a list; `undefined` for anything else. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain ? new Map(Object.entries(value)) : undefined;
}

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) ||
  encodeArguments(one, { sorted: true }) === encodeArguments(other, { sorted: true });
