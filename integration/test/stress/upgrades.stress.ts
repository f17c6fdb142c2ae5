import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, type Project } from "../support/registry/project.ts";
import { README } from "../support/registry/readme.ts";
import {
  BUILD_MS,
  type ManagerName,
  openSetting,
  replyAfter,
  type Setting,
} from "../support/registry/setting.ts";

const MANAGERS = ["npm", "pnpm", "yarn with Plug'n'Play", "bun"] as const satisfies readonly ManagerName[];

const OURS = README.packages.filter((name) => name.startsWith("@jaf/"));

let setting: Setting;
let versions: { readonly installed: string; readonly minor: string; readonly major: string };
const projects = new Map<ManagerName, Project>();

beforeAll(async () => {
  setting = await openSetting();
  const installed = setting.packages[0]?.version ?? "";
  const [major = 0, minor = 0] = installed.split(".").map(Number);
  versions = { installed, minor: `${major}.${minor + 1}.0`, major: `${major + 1}.0.0` };
}, BUILD_MS);
afterAll(() => setting?.close());

function projectOf(name: ManagerName): Project {
  const project = projects.get(name);
  if (project === undefined) throw new Error(`${name} installed nothing.`);
  return project;
}

/** The packages of a project need one another in the same release. */
const publish = (version: string): Promise<void> => setting.release(version, [...OURS, "@jaf/model-http"]);

describe.concurrent("before", () => {
  it.each(MANAGERS)("%s installs the first release, and its program begins a conversation", async (name) => {
    const project = await setting.createProject(name);
    projects.set(name, project);
    outputOf(await project.manage(project.manager.add, ...README.packages));
    expect(outputOf(await project.run("main.mjs"))).toContain(replyAfter(2));
  });
});

describe("a minor release", () => {
  beforeAll(() => publish(versions.minor), BUILD_MS);

  // bun asks the registry at most every five minutes, and yarn has no such command.
  it.each(["npm", "pnpm"] as const)("is shown by %s", async (name) => {
    const { output } = await projectOf(name).manage("outdated");
    for (const each of OURS) expect(output).toMatch(new RegExp(`${each}\\b.*\\b${versions.minor}\\b`));
  });

  describe("of one package", () => {
    it("is refused by npm", async () => {
      const { manager, manage } = projectOf("npm");
      const { output, succeeded } = await manage(...manager.update(["@jaf/core"]));
      expect(succeeded).toBe(false);
      expect(output).toContain("ERESOLVE");
      expect(output).toContain(`peer @jaf/memory@"^${versions.minor}" from @jaf/core@${versions.minor}`);
    });

    const permissive = MANAGERS.filter((name) => name !== "npm");
    it.each(permissive)("is installed by %s, and the program says what to install", async (name) => {
      const { manager, manage, run } = projectOf(name);
      outputOf(await manage(...manager.update(["@jaf/core"])));
      const { output, succeeded } = await run("main.mjs");
      expect(succeeded).toBe(false);
      const { minor, installed } = versions;
      expect(output).toContain(
        `TypeError: @jaf/core ${minor} needs @jaf/memory ^${minor}, and ${installed} is installed. Install the same release of all: npm install `,
      );
      for (const each of OURS) expect(output).toContain(` ${each}@^${minor}`);
    });
  });

  describe("of all packages", () => {
    it.concurrent.each(MANAGERS)("is installed by %s, and the conversation goes on", async (name) => {
      const { manager, manage, run } = projectOf(name);
      outputOf(await manage(...manager.update(OURS)));
      expect(outputOf(await run("main.cjs"))).toContain(replyAfter(4));
    });
  });
});

describe("a major release", () => {
  beforeAll(() => publish(versions.major), BUILD_MS);

  it.concurrent.each(MANAGERS)("is installed by %s, and the conversation goes on", async (name) => {
    const { manager, manage, run } = projectOf(name);
    outputOf(await manage(...manager.update(OURS)));
    expect(outputOf(await run("main.mjs"))).toContain(replyAfter(6));
  });
});
