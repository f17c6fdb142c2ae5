import { describe, expect, it } from "vitest";
import { callingPackageManager, commandOf, scriptCommand } from "../src/package-managers.ts";

describe("the package manager that runs the program", () => {
  it.each([
    ["npm/10.8.2 node/v20.20.2 linux x64 workspaces/false", "npm"],
    ["pnpm/12.21.0 npm/? node/v20.20.2 linux x64", "pnpm"],
    ["yarn/4.12.0 npm/? node/v20.20.2 linux x64", "yarn"],
    ["bun/1.3.1 npm/? node/v24.3.0 linux x64", "bun"],
    ["another/1.0.0", "npm"],
    [undefined, "npm"],
  ])("is told from %j", (npm_config_user_agent, manager) => {
    expect(callingPackageManager({ npm_config_user_agent })).toBe(manager);
  });

  it("runs from where it is, since it may be missing in PATH", () => {
    const at = (npm_execpath: string | undefined) => commandOf("pnpm", ["install"], { npm_execpath });
    expect(at("/x/pnpm.cjs")).toEqual({ program: process.execPath, args: ["/x/pnpm.cjs", "install"] });
    expect(at("/x/pnpm")).toEqual({ program: "/x/pnpm", args: ["install"] });
    for (const other of ["/x/npm-cli.js", "/x/npx-cli.js", undefined])
      expect(at(other)).toEqual({ program: "pnpm", args: ["install"] });
  });

  it("names the command of a script", () => {
    expect(scriptCommand("npm", "start")).toBe("npm start");
    expect(scriptCommand("npm", "dev")).toBe("npm run dev");
    expect(scriptCommand("bun", "start")).toBe("bun run start");
  });
});
