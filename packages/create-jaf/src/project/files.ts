import type { Choices } from "../choices.ts";
import { template } from "../own-package.ts";
import { programOf } from "../programs/programs.ts";
import { environmentFiles } from "./environment-files.ts";
import { manifestOf } from "./manifest.ts";
import { readmeOf } from "./readme.ts";
import { startFile } from "./start-file.ts";

const IGNORED = ["node_modules", ".env", "data", "*.log"];

/** Settings that a package manager needs for a project of its own with esbuild, which tsx uses. */
function settingsOf({ packageManager }: Choices): Readonly<Record<string, string>> {
  switch (packageManager) {
    case "pnpm":
      return { "pnpm-workspace.yaml": "allowBuilds:\n  esbuild: true\n" };
    case "yarn":
      // With an empty lockfile, Yarn takes the folder for a project, even in the folder of another one.
      return { ".yarnrc.yml": "nodeLinker: node-modules\n", "yarn.lock": "" };
    default:
      return {};
  }
}

const PAGE = ["page/index.html", "page/chat.js", "page/style.css"];

function otherFiles({ storage, interface: shown }: Choices): Readonly<Record<string, string>> {
  return {
    ...(storage === "embedded" ? {} : { "compose.yaml": template(`compose-${storage}.yaml`) }),
    ...(shown === "page" ? Object.fromEntries(PAGE.map((path) => [path, template(path)])) : {}),
  };
}

/** The texts of all files of a project by their paths. */
export const filesOf = (choices: Choices): Readonly<Record<string, string>> => ({
  ...programOf(choices),
  "package.json": manifestOf(choices),
  "start.js": startFile(choices),
  "tsconfig.json": template("tsconfig.json"),
  ".gitignore": `${IGNORED.join("\n")}\n`,
  ...environmentFiles(choices),
  "README.md": readmeOf(choices),
  "AGENTS.md": template("AGENTS.md"),
  ...settingsOf(choices),
  ...otherFiles(choices),
});
