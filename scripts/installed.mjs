/** Says in one line that nothing is installed. Plain JavaScript, because it runs when pnpm has failed to install the packages. */
import { existsSync } from "node:fs";

if (!existsSync(new URL("../node_modules/tsx", import.meta.url))) {
  console.error(
    "JAF's packages aren't installed, see pnpm's error above. Check the network, or set a registry that you can reach (pnpm config set registry URL), and run the command again.",
  );
  process.exit(1);
}
