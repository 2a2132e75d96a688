# The image for both architectures: `docker buildx bake`. For this machine alone: `docker buildx bake local`.
# Each variable is taken from the environment: VERSION=0.1.0 REVISION=$(git rev-parse HEAD) docker buildx bake --push
variable "IMAGE" { default = "chirpwatch" }
variable "NODE_IMAGE" { default = "docker.io/library/node:22-bookworm-slim" }
variable "VERSION" { default = "" }
variable "REVISION" { default = "" }
variable "SOURCE" { default = "" }
variable "CREATED" { default = "" }

group "default" { targets = ["image"] }

target "image" {
  context   = "."
  platforms = ["linux/amd64", "linux/arm64"]
  tags      = [VERSION == "" ? "${IMAGE}" : "${IMAGE}:${VERSION}"]
  args = {
    NODE_IMAGE = NODE_IMAGE
    VERSION    = VERSION
    REVISION   = REVISION
    SOURCE     = SOURCE
    CREATED    = CREATED
  }
  attest = ["type=provenance,mode=max", "type=sbom"]
}

target "local" {
  inherits  = ["image"]
  platforms = []
  attest    = []
  output    = ["type=docker"]
}
