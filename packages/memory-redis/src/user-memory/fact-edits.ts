import type { StoredFact, TermWeight, UserChange } from "@jaf/user-memory/adapter";
import { CONTEXTS_PER_FIELD, encodeContext } from "./contexts.ts";
import { lookupsOf } from "./names.ts";
import { signatureOf } from "./vector-codec.ts";

/** What becomes of one fact; never `null` both. */
export interface FactEdit {
  readonly seq: string;
  readonly before: StoredFact | null;
  readonly after: StoredFact | null;
}

/** How many facts with neighbouring numbers have their signatures in one field: so all are read from few fields. */
const SIGNATURES_PER_FIELD = 64;

/** Each fact once. */
export function factEdits({ put, drop }: Pick<UserChange, "put" | "drop">): readonly FactEdit[] {
  const edits = new Map<number, FactEdit>();
  const add = (before: StoredFact | null, after: StoredFact | null, seq: number) => {
    const earlier = edits.get(seq);
    edits.set(seq, { seq: String(seq), before: earlier === undefined ? before : earlier.before, after });
  };
  for (const { before, after } of put) add(before, after, after.seq);
  for (const fact of drop) add(fact, null, fact.seq);
  return [...edits.values()].filter(({ before, after }) => before !== null || after !== null);
}

function weightsOf(terms: readonly TermWeight[] = []): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
  return weights;
}

function isSameVector({ before, after }: FactEdit): boolean {
  const old = before?.vector ?? null;
  const now = after?.vector ?? null;
  if (old === null || now === null) return old === now;
  return old === now || (old.length === now.length && old.every((value, at) => value === now[at]));
}

/** Whether the vector is another than before; `undefined`: there is none any more. */
export const vectorChange = (
  edit: FactEdit,
): { readonly vector: readonly number[] | undefined } | undefined =>
  isSameVector(edit) ? undefined : { vector: edit.after?.vector ?? undefined };

/** In threes, as `commit` takes them: name, seq, `1` or `0`. */
export function lookupEdits({ seq, before, after }: FactEdit): readonly string[] {
  const old = new Set(before === null ? [] : lookupsOf(before));
  const now = new Set(after === null ? [] : lookupsOf(after));
  return [
    ...[...old].flatMap((name) => (now.has(name) ? [] : [name, seq, "0"])),
    ...[...now].flatMap((name) => (old.has(name) ? [] : [name, seq, "1"])),
  ];
}

/** In threes: term, seq, record. */
export function postingEdits({ seq, before, after }: FactEdit): readonly string[] {
  const old = weightsOf(before?.terms);
  const now = weightsOf(after?.terms);
  return [
    ...[...old.keys()].flatMap((term) => (now.has(term) ? [] : [term, seq, ""])),
    ...[...now].flatMap(([term, weight]) =>
      old.get(term) === weight ? [] : [term, seq, `;${seq}:${weight}`],
    ),
  ];
}

const fieldOf = (seq: string, perField: number): string => String(Math.floor(Number(seq) / perField));

/** In threes: field, seq, record. */
export function signatureEdits(edit: FactEdit): readonly string[] {
  const change = vectorChange(edit);
  if (change === undefined) return [];
  const record = change.vector === undefined ? "" : `;${edit.seq}:${signatureOf(change.vector)}`;
  return [fieldOf(edit.seq, SIGNATURES_PER_FIELD), edit.seq, record];
}

/** In threes: field, seq, record. */
export function contextEdits({ seq, before, after }: FactEdit): readonly string[] {
  const old = before === null ? "" : encodeContext(before);
  const now = after === null ? "" : encodeContext(after);
  return old === now ? [] : [fieldOf(seq, CONTEXTS_PER_FIELD), seq, now];
}
