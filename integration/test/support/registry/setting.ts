import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PackedPackage } from "../../../../scripts/pack.ts";
import { startFakeChat } from "../../../../test/fakes/openai-chat.ts";
import { startReleasedRegistry } from "../../../../test/released.ts";
import { PACKAGE_MANAGERS } from "./package-managers.ts";
import { createProject, type Project } from "./project.ts";
import { releaseAs } from "./releases.ts";

export type ManagerName = keyof typeof PACKAGE_MANAGERS;

/** Enough to build, pack and publish all packages on a busy machine. */
export const BUILD_MS = 900_000;

/** A registry with our packages, a model that says how much it saw, and the projects that use both. */
export interface Setting {
  readonly packages: readonly PackedPackage[];
  readonly createProject: (manager: ManagerName) => Promise<Project>;
  /** Publishes the packages of these names again, as the newest release. */
  readonly release: (version: string, names: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What the model replies after so many messages of the user. */
export const replyAfter = (messages: number): string => `You wrote ${messages} messages.`;

export async function openSetting(): Promise<Setting> {
  const registry = await startReleasedRegistry();
  const chat = await startFakeChat({
    steps: [({ messages }) => replyAfter(messages.filter(({ role }) => role === "user").length)],
  });
  const folder = await mkdtemp(join(tmpdir(), "jaf-releases-"));
  const environment = { ...registry.environment, OPENAI_API_KEY: "test", OPENAI_BASE_URL: chat.baseURL };
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"]);
  const registries = { ours: registry.url, others: stdout.trim() };
  const projects: Project[] = [];
  return {
    packages: registry.packages,
    createProject: async (name) => {
      const project = await createProject(await PACKAGE_MANAGERS[name](registries), environment);
      projects.push(project);
      return project;
    },
    release: async (version, names) => {
      const packages = registry.packages.filter(({ name }) => names.includes(name));
      const released = await releaseAs(version, packages, join(folder, version));
      await registry.publish(released.map(({ tarball }) => tarball));
    },
    close: async () => {
      await chat.close();
      await registry.stop();
      await Promise.all([...projects.map(({ remove }) => remove()), rm(folder, { recursive: true })]);
    },
  };
}
