/**
 * Runs in a package's folder before it is packed or published, and refuses what would be broken on the registry. It is a
 * script of Node alone, because it runs for each package.
 */
import { existsSync, readFileSync } from "node:fs";

const { devEngines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const pnpm = `npx pnpm@${devEngines.packageManager.version}`;
const { publishConfig, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
const published = { ...manifest, ...publishConfig };

/** All paths in a field of the manifest, at any depth of conditions. */
const pathsIn = (field) =>
  typeof field === "string" ? [field] : Object.values(field ?? {}).flatMap((inner) => pathsIn(inner));

function refusalOfPack() {
  const { npm_config_user_agent: packer } = process.env;
  if (!packer?.startsWith("pnpm/"))
    return (
      "must be packed by pnpm, because other package managers publish `workspace:` and `catalog:` as they are. " +
      `Run \`${pnpm} pack\`.`
    );
  const entries = ["exports", "imports", "bin"].flatMap((field) => pathsIn(published[field]));
  const notBuilt = entries.filter((path) => path.startsWith("./") && !existsSync(path));
  if (notBuilt.length > 0)
    return `isn't built: ${notBuilt[0]} is missing. Run \`${pnpm} build\` in the repository's root first.`;
  const notWritten = published.files.filter((path) => !/[*!]/.test(path) && !existsSync(path));
  if (notWritten.length > 0)
    return (
      `lacks ${notWritten.join(" and ")}. Run \`node --import tsx scripts/documents/write.ts\` in the repository's ` +
      "root first."
    );
  return undefined;
}

const refusals = {
  pack: refusalOfPack,
  publish: () =>
    `is published with the other packages. Run \`${pnpm} release publish\` in the repository's root.`,
};

const refusal = refusals[process.argv[2]]();
if (refusal !== undefined) {
  console.error(`${manifest.name} ${refusal}`);
  process.exitCode = 1;
}
