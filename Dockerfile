# cmsmig in an image: `docker build --tag cmsmig .`, then
# `docker run --rm --init -v "$PWD/migration:/project" -v cmsmig-state:/state cmsmig status`.

FROM python:3.13-slim AS build
WORKDIR /build
RUN python3 -m venv /opt/cmsmig
# The dependencies come first, so that a change of the code does not fetch them again.
COPY .ci/constraints.txt ./
RUN sed '/^# for tests and checks alone/,$d' constraints.txt > needed.txt
RUN /opt/cmsmig/bin/pip install --no-cache-dir --no-deps --require-hashes -r needed.txt
COPY pyproject.toml README.md LICENSE ./
COPY cmsmig ./cmsmig
COPY notebooks ./notebooks
RUN /opt/cmsmig/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
COPY --from=build /opt/cmsmig /opt/cmsmig
RUN useradd --create-home --uid 1000 cmsmig
# Volumes take over the owner of the folders that they are laid on.
RUN install --directory --owner=cmsmig --group=cmsmig --mode=750 /project /state
# /state holds the request budget: containers of one machine share it as a volume.
ENV PATH=/opt/cmsmig/bin:/usr/local/bin:/usr/bin:/bin \
    CMSMIG_PROJECT=/project \
    CMSMIG_STATE_DIR=/state \
    PYTHONDONTWRITEBYTECODE=1
VOLUME ["/project", "/state"]
USER cmsmig
WORKDIR /project
ENTRYPOINT ["cmsmig"]
CMD ["--help"]
