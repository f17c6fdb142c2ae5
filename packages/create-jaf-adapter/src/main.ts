import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { cancel, confirm, intro, isCancel, log, outro, text } from "@clack/prompts";
import { createFiles, refuseUsedFolder, version } from "./create.ts";
import { install, packageManager } from "./install.ts";
import { namesOf, UsageError } from "./names.ts";

const HELP = `Creates a package that stores the conversations of JAF in a backend of your own.

  npm create jaf-adapter@latest jaf-memory-lmdb

Without a name, it asks for one. With npm, put options after "--".

  -y, --yes      ask nothing
  --no-install   don't install the dependencies
  -v, --version  print the version
  -h, --help     print this`;

/** The answer to a question, if there is one. */
function answered<T>(value: T): Exclude<T, symbol> {
  if (!isCancel(value)) return value as Exclude<T, symbol>;
  cancel("Nothing was created.");
  process.exit(1);
}

/** What is wrong with a name that is being typed. */
function faultOf(name = ""): string | undefined {
  try {
    refuseUsedFolder(namesOf(name).packageName);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

async function askName(): Promise<string> {
  const message = "Which store? It names the package.";
  return answered(await text({ message, placeholder: "lmdb", validate: faultOf }));
}

const askInstall = async (manager: string): Promise<boolean> =>
  answered(await confirm({ message: `Install the dependencies with ${manager}?` }));

function parseOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      allowNegative: true,
      options: {
        yes: { type: "boolean", short: "y" },
        install: { type: "boolean" },
        version: { type: "boolean", short: "v" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (thrown) {
    throw new UsageError(`${thrown instanceof Error ? thrown.message.split(". ")[0] : thrown}. See --help.`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseOptions();
  if (values.help === true) return console.log(HELP);
  if (values.version === true) return console.log(version);
  const asks = process.stdin.isTTY === true && process.stdout.isTTY === true && values.yes !== true;
  const [given, more] = positionals;
  if (more !== undefined) throw new UsageError(`Expected one name, not also "${more}".`);
  if (given === undefined && !asks)
    throw new UsageError("Name the package, e.g. jaf-memory-lmdb. See --help.");
  if (given === undefined) intro("A backend of your own for JAF");
  const name = given ?? (await askName());
  const names = namesOf(name);
  const folder = resolve(name, "..", names.packageName);
  refuseUsedFolder(folder);
  const manager = packageManager();
  const installs = values.install ?? (asks ? await askInstall(manager) : true);
  createFiles(folder, names);
  if (installs) {
    // No spinner: it fills a log with its frames, and it ends the program at Ctrl-C as if all were well.
    log.step(`Installing with ${manager}`);
    await install(folder, manager);
    log.success("Installed the dependencies");
  }
  const commands = [`cd ${relative("", folder)}`, ...(installs ? [] : [`${manager} install`]), "npm test"];
  outro(
    `Created ${names.packageName}. Next: ${commands.join(" && ")}\n` +
      "   The tests fail only where src/backend.ts isn't written yet. AGENTS.md has the order of its functions.",
  );
}

try {
  await main();
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown;
  console.error(thrown.message);
  process.exitCode = 1;
}
