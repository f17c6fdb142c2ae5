import type { Text } from "./blocks.ts";

/** A block that no compiler takes as it stands, for a mistake of the text's own: all that TypeScript says, by the text's lines. */
interface Mistake {
  readonly text: Text;
  readonly block: string;
  readonly says: readonly string[];
  readonly mistake: string;
}

// biome-ignore format: a line for each
export const CANNOT: readonly Mistake[] = [
  { text: "1-jaf-memory-system", block: "recovery", says: ["418: TS4104"], mistake: "returns what its own ConversationMemory has as `readonly Message[]` for `Message[]`" },
  { text: "1-jaf-memory-system", block: "redis-production", says: ["448: TS2448", "448: TS2454", "451: TS2353"], mistake: "uses the client before it declares it, with an option that node-redis doesn't have" },
  { text: "1-jaf-memory-system", block: "lifecycle", says: ["479: TS2345", "486: TS18048", "488: TS2345"], mistake: "runs without agents and a model, and compares `data?.messages.length`, which may be undefined" },
  { text: "1-jaf-memory-system", block: "authentication", says: ["552: TS2353"], mistake: "has an option of node-redis 3, which had no promises" },
  { text: "3-memory-and-persistence", block: "async-user", says: ["136: TS1308"], mistake: "awaits in a method that isn't async" },
  { text: "4-jaf-core-concepts", block: "memory-result", says: ["599: TS18047"], mistake: "reads `messages` of the data, which by its own type are `null` where there is no conversation" },
  { text: "4-jaf-core-concepts", block: "errors-as-values", says: ["694: TS18046"], mistake: "reads `message` of what it caught, which is `unknown` under `strict`" },
];
