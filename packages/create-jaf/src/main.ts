import { resolve } from "node:path";
import { intro, log, outro, spinner } from "@clack/prompts";
import { type Arguments, parseArguments, USAGE } from "./arguments.ts";
import { type Choices, type Environment, models } from "./choices.ts";
import { Failure } from "./failure.ts";
import { install, requirePackageManager } from "./install.ts";
import { ownVersion } from "./own-package.ts";
import { callingPackageManager, scriptCommand } from "./package-managers.ts";
import { filesOf } from "./project/files.ts";
import { nameOf, requireEmpty, writeProject } from "./project/write.ts";
import { ask, withDefaults } from "./questions.ts";

/** Runs the command line and returns the exit code. */
export async function main(argv: readonly string[], environment: Environment): Promise<number> {
  try {
    const given = parseArguments(argv);
    if (given.command === "help") console.log(USAGE);
    else if (given.command === "version") console.log(ownVersion);
    else await create(given, environment);
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    console.error(thrown.message);
    return 1;
  }
}

async function create(given: Arguments, environment: Environment): Promise<void> {
  // Before anything is asked.
  if (given.folder !== undefined) checkFolder(given.folder);
  const isAsked = !given.yes && process.stdin.isTTY && process.stdout.isTTY;
  if (isAsked) intro("Create an agent with JAF");
  const answers = isAsked ? await ask(given, environment) : withDefaults(given, environment);
  checkFolder(answers.folder);
  const packageManager = given.packageManager ?? callingPackageManager(environment);
  const choices: Choices = { ...answers, packageManager, name: nameOf(answers.folder) };
  if (given.install) requirePackageManager(packageManager, environment);
  writeProject(resolve(answers.folder), filesOf(choices));
  if (given.install) await installed(answers.folder, choices, environment);
  const steps = nextSteps(answers.folder, choices, { environment, isInstalled: given.install }).join("\n");
  if (isAsked) {
    log.message(steps);
    outro("README.md says how to go on.");
  } else console.log(`${choices.name} is ready:\n${steps}`);
}

function checkFolder(folder: string): void {
  nameOf(folder);
  requireEmpty(folder);
}

async function installed(folder: string, choices: Choices, environment: Environment): Promise<void> {
  const { packageManager } = choices;
  const progress = process.stdout.isTTY ? spinner() : undefined;
  const repeat = [...changeFolder(folder), `${packageManager} install`].join(" && ");
  const onExit = () => {
    process.exitCode = 130;
    console.error(`The installation was stopped. The files are written. To repeat it: ${repeat}`);
  };
  const interrupt = () => process.exit(130);
  process.once("exit", onExit).once("SIGINT", interrupt);
  progress?.start(`Installing with ${packageManager}`);
  try {
    await install({ folder: resolve(folder), packageManager, environment });
    progress?.stop(`Installed with ${packageManager}`);
  } catch (thrown) {
    progress?.error("The installation failed.");
    if (!(thrown instanceof Failure)) throw thrown;
    throw new Failure(`${thrown.message}. The files are written. To repeat it: ${repeat}`);
  } finally {
    process.off("exit", onExit).off("SIGINT", interrupt);
  }
}

const changeFolder = (folder: string): readonly string[] =>
  resolve(folder) === process.cwd() ? [] : [`cd ${shellWord(folder)}`];

function shellWord(word: string): string {
  if (/^[\w@%+=:,./\\~-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

interface Situation {
  readonly environment: Environment;
  readonly isInstalled: boolean;
}

/** The commands that start the program, and what it needs before. */
function nextSteps(
  folder: string,
  choices: Choices,
  { environment, isInstalled }: Situation,
): readonly string[] {
  const { packageManager, storage, secrets } = choices;
  const needed = models[choices.model].variables.filter(
    ({ name, value }) => value === "" && name.endsWith("_API_KEY") && choices.model !== "compatible",
  );
  const missing = needed.filter(({ name }) => !environment[name] && !secrets[name]);
  return [
    ...changeFolder(folder),
    ...(isInstalled ? [] : [`${packageManager} install`]),
    ...missing.map(({ name }) => `# add ${name} to .env`),
    ...(storage === "embedded" ? [] : ["docker compose up -d   # or change the address in .env"]),
    scriptCommand(packageManager, "start"),
  ].map((line) => `  ${line}`);
}
