/** Where one statement ends and something else begins. */
const NEXT =
  /(?<=\S),?\s+(?:and|but|so)\s+(?=(?:my|i|i'm|we|you|call|please|what|he|she|they)\b)|,\s+(?=(?:my|i|i'm|we|what|what's|please|by the way|who|how|can|could)\b)/i;
const ASKS =
  /^(?:and |but |so )?(?:is|are|was|were|do|does|did|can|could|would|will|what|who|why|how|when|where|which|if)\b/i;

/** The clauses of a sentence that aren't questions. */
export const statedClauses = (sentence: string): readonly string[] =>
  sentence.split(NEXT).filter((clause) => !isQuestion(clause));

const isQuestion = (clause: string): boolean =>
  ASKS.test(clause.trim()) || /\b(?:what|who|where|when)\b[^.!?]*\bmy\b/i.test(clause);

/** Without the end of its sentence; the full stop of an address or a number isn't one. */
export const bare = (value: string): string => value.replace(/[\s.!?…,;:)]+$/u, "").trim();
