import { expect } from "vitest";

/** What a line says of a quotation. */
const QUOTED =
  /^- (?:\(earlier\) )?(?:The user said|In a text that the user sent|Asked "([^"]*)", the user said)(?: on \d{4}-\d\d-\d\d)?: "([^"]*)"$/u;

/** A text but for what rendering changes: its letters and digits. */
const bare = (text: string): string => text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]/gu, "");

/** What was really said. */
export interface Spoken {
  readonly byUser: readonly string[];
  readonly byAssistant?: readonly string[];
  /** Lines that quote nobody. */
  readonly stated?: readonly string[];
}

/** Each line is one that was stated, or quotes words of the user's that are found in what they said, and questions likewise. */
export function expectTrue(
  lines: readonly string[],
  { byUser, byAssistant = [], stated = [] }: Spoken,
): void {
  for (const line of lines) {
    if (stated.includes(line.replace(/^- /, ""))) continue;
    const [, question, words] = QUOTED.exec(line) ?? [];
    expect(words, line).toBeDefined();
    expect(
      byUser.some((said) => bare(said).includes(bare(words ?? ""))),
      line,
    ).toBe(true);
    if (question === undefined) continue;
    expect(
      byAssistant.some((said) => bare(said).includes(bare(question))),
      line,
    ).toBe(true);
  }
}
