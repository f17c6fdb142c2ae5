/** CHANGELOG.md at the root: one section for each release of all packages, the newest first. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseError } from "./failure.ts";

export type ChangeType = "major" | "minor" | "patch";

export interface Change {
  readonly type: ChangeType;
  /** The packages that it concerns. */
  readonly packages: readonly string[];
  readonly summary: string;
}

export interface Section {
  readonly version: string;
  /** The section without its heading. */
  readonly notes: string;
}

const TITLES: Readonly<Record<ChangeType, string>> = {
  major: "Major changes",
  minor: "Minor changes",
  patch: "Patch changes",
};

const fileOf = (root: string): string => join(root, "CHANGELOG.md");

export const readChangelog = (root: string): string =>
  existsSync(fileOf(root)) ? readFileSync(fileOf(root), "utf8") : "";

function entryOf({ packages, summary }: Change): string {
  const names = packages.map((name) => `\`${name}\``).join(", ");
  return `- ${names}: ${summary.trim()}`.replaceAll(/\n(?=.)/g, "\n  ");
}

/** Writes the section of a release. `date` is a calendar date, such as `2026-12-01`. */
export function writeSection(version: string, date: string, changes: readonly Change[]): string {
  const groups = (["major", "minor", "patch"] as const).flatMap((type) => {
    const entries = changes.filter((change) => change.type === type).map(entryOf);
    return entries.length === 0 ? [] : [`### ${TITLES[type]}\n\n${entries.join("\n")}\n`];
  });
  return [`## ${version} – ${date}\n`, ...groups].join("\n");
}

const HEADING = /^## (\S+).*$/gm;

/** Puts a section above the others. */
export function addSection(changelog: string, section: string): string {
  const [first] = changelog.matchAll(HEADING);
  const before = first === undefined ? changelog || "# Changelog\n\n" : changelog.slice(0, first.index);
  const after = first === undefined ? "" : `\n${changelog.slice(first.index)}`;
  return before + section + after;
}

export function newestSection(changelog: string): Section | undefined {
  const [first, second] = changelog.matchAll(HEADING);
  if (first?.[1] === undefined) return undefined;
  const notes = changelog.slice(first.index + first[0].length, second?.index).trim();
  return { version: first[1], notes };
}

/** Returns the section of a version that is to be released. */
export function requireSection(root: string, version: string): Section {
  const section = newestSection(readChangelog(root));
  if (section?.version === version) return section;
  throw new ReleaseError(
    `The packages have version ${version}, but the newest section of CHANGELOG.md is ` +
      `${section === undefined ? "missing" : `about ${section.version}`}. \`release prepare\` writes both.`,
  );
}
