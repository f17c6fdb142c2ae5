import { expect } from "vitest";

/** Matches a line of a prompt that shows a quotation. */
const QUOTED =
  /^- (?:\(earlier\) )?(?:The user said|In a text that the user sent|Asked "([^"]*)", the user said)(?: on \d{4}-\d\d-\d\d)?: "([^"]*)"$/u;

/** Returns only the letters and digits of a text. Rendering for a prompt doesn't change letters and digits. */
const bare = (text: string): string => text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]/gu, "");

/** What the user and the assistant really said in a test. */
export interface Spoken {
  readonly byUser: readonly string[];
  readonly byAssistant?: readonly string[];
  /**
   * The texts of facts that the test stored with the trust `"stated"`. A prompt shows these texts without quotation
   * marks.
   */
  readonly stated?: readonly string[];
}

/**
 * Checks that each line is a stated fact or quotes words that the user really said. A question in a line must be one
 * that the assistant really asked.
 */
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
