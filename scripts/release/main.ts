/** `pnpm release`: see the help below. */
import { parseArgs } from "node:util";
import { requireSection } from "./changelog.ts";
import { ReleaseError } from "./failure.ts";
import { nextStep } from "./next.ts";
import { commonVersion } from "./packages.ts";
import { prepare } from "./prepare.ts";
import { publish } from "./publish.ts";
import { NPM } from "./registry.ts";

const HELP = `Releases all packages together, under one version.

pnpm release prepare [--allow-major]
    Makes a new version of the changesets in .changeset: it raises the version of
    every package, adds a section to CHANGELOG.md, and deletes the changesets.
    Commit the result. The workflow "Release" does all this in a pull request.

    --allow-major     a changeset may turn 0.x into 1.0.0

pnpm release publish [options]
    Checks and builds this commit, publishes the packages that the registry doesn't
    have in this version, and tags the commit, e.g. v0.2.0. If it is interrupted,
    the same command continues. It refuses changes that aren't committed, a commit
    that isn't on origin/main, changesets that wait, and a version that is tagged on
    another commit.

    --registry URL    the registry; by default ${NPM}
    --tag NAME        the dist-tag, e.g. next; by default latest
    --otp CODE        a one-time password, if your account needs one
    --provenance      signs where the packages were built; only in a workflow
    --skip-checks     without \`pnpm check\`, if it has run on this commit
    --dry-run         everything except uploads and the tag

pnpm release next
    Prints what a workflow has to do: prepare, publish, or nothing.

pnpm release notes
    Prints the section of CHANGELOG.md about the current version.
`;

const root = new URL("../..", import.meta.url).pathname;

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "allow-major": { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
        otp: { type: "string" },
        provenance: { type: "boolean", default: false },
        registry: { type: "string" },
        "skip-checks": { type: "boolean", default: false },
        tag: { type: "string" },
      },
    });
  } catch (thrown) {
    throw new ReleaseError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments(process.argv.slice(2));
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) return console.log(HELP);
  if (rest.length > 0) throw new ReleaseError(`Unexpected argument: ${rest.join(" ")}`);
  switch (command) {
    case "prepare": {
      const date = new Date().toISOString().slice(0, 10);
      const version = await prepare(root, { allowMajor: values["allow-major"], date });
      return console.log(
        `All packages have version ${version}, and CHANGELOG.md has its section. Commit both.`,
      );
    }
    case "publish":
      return publish(root, {
        registry: values.registry,
        tag: values.tag,
        otp: values.otp,
        dryRun: values["dry-run"],
        provenance: values.provenance,
        skipChecks: values["skip-checks"],
      });
    case "next":
      return console.log(await nextStep(root));
    case "notes":
      return console.log(requireSection(root, commonVersion(root)).notes);
    default:
      throw new ReleaseError(`There is no \`release ${command}\`. \`release --help\` lists what there is.`);
  }
}

main().catch((thrown: unknown) => {
  console.error(thrown instanceof ReleaseError ? thrown.message : thrown);
  process.exitCode = 1;
});
