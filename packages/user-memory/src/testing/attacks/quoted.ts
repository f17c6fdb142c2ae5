import { expect } from "vitest";

/** The form of a line with a quotation. */
const QUOTED =
  /^- (?:\(earlier\) )?(?:The user said|In a text that the user sent|Asked "([^"]*)", the user said)(?: on \d{4}-\d\d-\d\d)?: "([^"]*)"$/u;

/** Returns the letters and digits of a text, which rendering doesn't change. */
const bare = (text: string): string => text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The user's actual words. */
export interface Spoken {
  readonly byUser: readonly string[];
  readonly byAssistant?: readonly string[];
  /** Lines without a quotation. */
  readonly stated?: readonly string[];
}

/** Checks that each line is a stated fact or quotes the user's actual words, with an actual question. */
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
