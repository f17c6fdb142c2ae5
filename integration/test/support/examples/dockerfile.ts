import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { runProgram } from "./example.ts";

interface Instruction {
  readonly name: string;
  readonly argument: string;
}

/** What a Dockerfile makes, with a folder in place of an image's root. */
export interface FollowedDockerfile {
  readonly base: string;
  /** The folder that is the working directory. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

const MULTILINE = /\\\n/g;

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.replaceAll(MULTILINE, " ").split("\n");
  return lines
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", argument = ""] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? [];
      return { name, argument };
    });
}

/** The files of a folder that a source of COPY names. It may have `*` in its last part. */
async function sourcesOf(folder: string, source: string): Promise<readonly string[]> {
  if (!source.includes("*")) return [join(folder, source)];
  const pattern = new RegExp(`^${source.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
  return (await readdir(folder)).filter((name) => pattern.test(name)).map((name) => join(folder, name));
}

/**
 * Does what a Dockerfile says, without a container engine: each stage has a folder in `out`, `RUN` runs on this machine,
 * and `COPY` takes nothing but what its context has. So a file that isn't copied is missing. It knows the instructions of
 * the examples, and rejects others.
 */
export async function followDockerfile(
  context: string,
  out: string,
  environment: NodeJS.ProcessEnv,
): Promise<FollowedDockerfile> {
  const stages = new Map<string, string>();
  let stage = out;
  let made: FollowedDockerfile = {
    ...{ base: "", folder: out, environment: {}, user: undefined, command: [], healthcheck: [] },
  };
  const inStage = (path: string) => join(path.startsWith("/") ? stage : made.folder, path);

  async function copy(argument: string): Promise<void> {
    const [, from, paths = ""] = /^(?:--from=(\S+) )?(.+)$/.exec(argument) ?? [];
    const source = from === undefined ? context : stages.get(from);
    if (source === undefined) throw new Error(`COPY ${argument}: there is no such stage.`);
    const names = paths.split(/\s+/);
    const target = inStage(names.pop() ?? "");
    for (const name of names)
      for (const path of await sourcesOf(source, name)) {
        const to = names.length > 1 || /\/$/.test(argument) ? join(target, basename(path)) : target;
        await cp(path, to, { recursive: true, verbatimSymlinks: true });
      }
  }

  for (const { name, argument } of instructionsOf(await readFile(join(context, "Dockerfile"), "utf8")))
    switch (name) {
      case "FROM": {
        const [base = "", , stageName = `stage-${stages.size}`] = argument.split(/\s+/);
        stage = join(out, stageName);
        stages.set(stageName, stage);
        made = { ...made, base, folder: stage, environment: {}, user: undefined, command: [] };
        break;
      }
      case "WORKDIR":
        made = { ...made, folder: inStage(argument) };
        await mkdir(made.folder, { recursive: true });
        break;
      case "ENV": {
        const [key = "", value = ""] = argument.split("=");
        made = { ...made, environment: { ...made.environment, [key]: value } };
        break;
      }
      case "COPY":
        await copy(argument);
        break;
      case "RUN":
        await runProgram("sh", ["-c", argument], {
          cwd: made.folder,
          environment: { ...environment, ...made.environment },
        });
        break;
      case "USER":
        made = { ...made, user: argument };
        break;
      case "CMD":
        made = { ...made, command: JSON.parse(argument) };
        break;
      case "HEALTHCHECK":
        made = { ...made, healthcheck: JSON.parse(argument.slice(argument.indexOf("["))) };
        break;
      case "EXPOSE":
        break;
      default:
        throw new Error(`This test doesn't know the instruction ${name} ${argument}.`);
    }
  return made;
}
