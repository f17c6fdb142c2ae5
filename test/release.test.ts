import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  addSection,
  newestSection,
  readChangelog,
  requireSection,
  writeSection,
} from "../scripts/release/changelog.ts";
import { nextStep } from "../scripts/release/next.ts";
import { commonVersion, removeMade } from "../scripts/release/packages.ts";
import { prepare } from "../scripts/release/prepare.ts";
import { requireReleasable, tagCommit } from "../scripts/release/publish.ts";
import { scratchRepository } from "./scratch-repository.ts";

const DATE = "2026-12-01";

it("keeps the newest section of CHANGELOG.md and the packages' version together", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  expect(requireSection(root, commonVersion(root)).notes).not.toBe("");
});

it("groups the changes of a release and puts them above older ones", () => {
  const section = writeSection("0.2.0", DATE, [
    { type: "patch", packages: ["@jaf/a"], summary: "A fault is gone.\n\nIt was old." },
    { type: "minor", packages: ["@jaf/a", "@jaf/b"], summary: "There is more." },
  ]);
  expect(section).toBe(`## 0.2.0 – 2026-12-01

### Minor changes

- \`@jaf/a\`, \`@jaf/b\`: There is more.

### Patch changes

- \`@jaf/a\`: A fault is gone.

  It was old.
`);
  const changelog = addSection("# Changelog\n\nAbout it.\n\n## 0.1.0\n\nThe first.\n", section);
  expect(changelog).toBe(`# Changelog\n\nAbout it.\n\n${section}\n## 0.1.0\n\nThe first.\n`);
  expect(newestSection(changelog)?.version).toBe("0.2.0");
  expect(newestSection(changelog)?.notes).not.toContain("The first");
  expect(addSection("", section)).toBe(`# Changelog\n\n${section}`);
});

it("makes a minor version of all packages from the changesets", async () => {
  const { root, commit } = scratchRepository();
  expect(await nextStep(root)).toBe("publish");
  commit({ "examples/copied/package.json": '{ "dependencies": { "@jaf/a": "^0.1.0", "zod": "^4.0.0" } }' });
  commit({ ".changeset/more.md": '---\n"@jaf/a": minor\n---\n\nThere is more.\n' });
  expect(await nextStep(root)).toBe("prepare");
  expect(await prepare(root, { allowMajor: false, date: DATE })).toBe("0.2.0");
  expect(readChangelog(root)).toMatch(
    /^# Changelog\n\n## 0\.2\.0 – 2026-12-01\n\n### Minor changes\n\n- `@jaf\/a`: There is more\.\n\n## 0\.1\.0\n/,
  );
  expect(readFileSync(join(root, "examples/copied/package.json"), "utf8")).toBe(
    '{ "dependencies": { "@jaf/a": "^0.2.0", "zod": "^4.0.0" } }',
  );
  commit({});
  expect(await requireReleasable(root)).toBe("0.2.0");
  expect(await nextStep(root)).toBe("publish");
});

it("makes 1.0.0 of a major changeset only if asked to", async () => {
  const { root, commit } = scratchRepository();
  commit({ ".changeset/other.md": '---\n"@jaf/b": major\n---\n\nIt is another.\n' });
  await expect(prepare(root, { allowMajor: false, date: DATE })).rejects.toThrow(
    "The changeset .changeset/other.md says major, so the packages would become 1.0.0 after 0.1.0.",
  );
  expect(await prepare(root, { allowMajor: true, date: DATE })).toBe("1.0.0");
});

it("makes no 1.0.0 because of the range of a peer", async () => {
  const { root, commit } = scratchRepository();
  const peers = { peerDependencies: { "@jaf/a": "workspace:~0.1.0" } };
  commit({
    "packages/b/package.json": JSON.stringify({ name: "@jaf/b", version: "0.1.0", ...peers }),
    ".changeset/more.md": '---\n"@jaf/a": minor\n---\n\nThere is more.\n',
  });
  await expect(prepare(root, { allowMajor: false, date: DATE })).rejects.toThrow(
    "A peer dependency on a package of ours doesn't hold its next version",
  );
});

it("prepares nothing without a change that names a package", async () => {
  const { root, commit } = scratchRepository();
  const prepared = () => prepare(root, { allowMajor: false, date: DATE });
  await expect(prepared()).rejects.toThrow("No changeset waits");
  commit({ ".changeset/empty.md": "---\n---\n\nNothing for users.\n" });
  await expect(prepared()).rejects.toThrow("No changeset waits");
  expect(await nextStep(root)).toBe("publish");
});

it("refuses to publish what isn't a release", async () => {
  const { root, commit, git, write } = scratchRepository();
  expect(await requireReleasable(root)).toBe("0.1.0");
  git("config", "tag.gpgSign", "true");
  git("config", "gpg.program", "false");
  tagCommit(root, "0.1.0");
  expect(await nextStep(root)).toBe("nothing");
  expect(await requireReleasable(root)).toBe("0.1.0"); // An interrupted publication goes on.

  write({ "notes.txt": "Unfinished" });
  await expect(requireReleasable(root)).rejects.toThrow("aren't committed (?? notes.txt)");
  commit({});
  await expect(requireReleasable(root)).rejects.toThrow("The tag v0.1.0 is on another commit");

  commit({ ".changeset/more.md": '---\n"@jaf/a": patch\n---\n\nA fault is gone.\n' });
  await expect(requireReleasable(root)).rejects.toThrow(
    "1 changesets wait for a version, e.g. .changeset/more.md",
  );
  git("rm", "--quiet", ".changeset/more.md");
  commit({ "CHANGELOG.md": "# Changelog\n\n## 0.0.9\n" });
  await expect(requireReleasable(root)).rejects.toThrow("the newest section of CHANGELOG.md is about 0.0.9");
  commit({ "packages/b/package.json": JSON.stringify({ name: "@jaf/b", version: "0.3.0" }) });
  await expect(requireReleasable(root)).rejects.toThrow("@jaf/a has 0.1.0 and @jaf/b has 0.3.0");
});

it("publishes no file of an older build", () => {
  const { root, write } = scratchRepository();
  write({ "packages/a/dist/old.js": "", "packages/a/docs/old.md": "", "packages/a/skills/old/SKILL.md": "" });
  removeMade(root);
  expect(readdirSync(join(root, "packages/a"))).toEqual(["package.json"]);
});

it("publishes only what is on the remote's main", async () => {
  const { root, commit, git } = scratchRepository();
  git("remote", "add", "origin", root);
  expect(await requireReleasable(root)).toBe("0.1.0"); // Nothing is pushed yet.
  git("fetch", "--quiet", "origin");
  commit({ "notes.txt": "Local" });
  await expect(requireReleasable(root)).rejects.toThrow("This commit isn't on origin/main");
  git("fetch", "--quiet", "origin");
  expect(await requireReleasable(root)).toBe("0.1.0");
});
