import { spawn } from "node:child_process";

/** Opens the address in the person's browser. Where there is none, nothing happens: the address is printed anyway. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] =
    platform === "darwin"
      ? ["open", url]
      : platform === "win32"
        ? ["cmd", "/c", "start", "", url]
        : ["xdg-open", url];
  if (command === undefined) return;
  try {
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    child.on("error", () => {}); // There is no such program.
    child.unref();
  } catch {
    // Processes can't be started here.
  }
}
