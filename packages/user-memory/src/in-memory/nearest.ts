import type { StoredFact } from "../backend/backend.ts";

/** Brute force over one user's vectors. Those of another dimension are left out: another model made them. */
export function nearestOf(facts: readonly StoredFact[], vector: readonly number[], limit: number) {
  const length = Math.hypot(...vector);
  return facts
    .flatMap(({ seq, vector: other }) =>
      other === null || other.length !== vector.length
        ? []
        : [{ seq, similarity: dot(vector, other) / (length * norm(other)) }],
    )
    .filter(({ similarity }) => Number.isFinite(similarity))
    .sort((a, b) => b.similarity - a.similarity || b.seq - a.seq)
    .slice(0, limit);
}

const norm = (vector: readonly number[]): number => Math.sqrt(dot(vector, vector));

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
