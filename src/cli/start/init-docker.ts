/**
 * The compose file that `init docker` writes beside the configuration. It needs no checkout of the
 * repository. A test compares it with the repository's compose.yaml.
 */

/** The folder that the container mounts as /config. */
export const DOCKER_FOLDER = "watches";

/** The lines for .env.example with the variable that names the image. */
export const IMAGE_VARIABLE = `# the image: \`docker build -t chirpwatch .\` in a checkout builds this one
CHIRPWATCH_IMAGE=chirpwatch
`;

export const COMPOSE_TEXT = `# Start:         docker compose up -d
# Status page:   http://localhost:9464, any user name; the password: docker compose exec chirpwatch cat /data/server-token
services:
  chirpwatch:
    image: \${CHIRPWATCH_IMAGE:-chirpwatch}
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    init: true # ends what is left of programs that were started beside the daemon
    mem_limit: 1g
    pids_limit: 128
    logging: { driver: json-file, options: { max-size: 10m, max-file: "3" } }
    stop_grace_period: 12s # sends under way finish within 8 s
    ports: ["127.0.0.1:9464:9464"]
    restart: unless-stopped
    env_file: [{ path: .env, required: false }]
    volumes:
      - ./${DOCKER_FOLDER}:/config:ro # the folder, not the file: an editor's replacement of the file is seen, and reloaded
      - data:/data

volumes:
  data:
`;
