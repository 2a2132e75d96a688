/**
 * Says before anything is built that Node or npm is too old: what fails otherwise names neither.
 */

const MIN_NODE = [20, 19];
/** npm 7 is the first that reads the lock file; older ones install other releases of everything. */
const MIN_NPM = [7, 0];

/**
 * Returns a sentence with the cure, or undefined. `agent`: npm's own name for itself, such as
 * "npm/10.8.2 node/v20.19.0 linux x64".
 */
export function oldToolText(node, agent = "") {
  if (isOlder(node, MIN_NODE))
    return `Node ${node} is too old for chirpwatch: install Node 20.19 or newer, then run \`npm ci\` again.`;
  const npm = /^npm\/(\d+\.\d+)/.exec(agent)?.[1];
  if (npm !== undefined && isOlder(npm, MIN_NPM))
    return `npm ${npm} is too old: it does not read the lock file. Use the npm that came with Node, or \`npm install --global npm\`, then run \`npm ci\` again.`;
  return undefined;
}

export function refuseOldTools() {
  const text = oldToolText(process.versions.node, process.env.npm_config_user_agent);
  if (text === undefined) return;
  console.error(text);
  process.exit(1);
}

function isOlder(version, [major, minor]) {
  const [givenMajor = 0, givenMinor = 0] = version.split(".").map(Number);
  return givenMajor < major || (givenMajor === major && givenMinor < minor);
}
