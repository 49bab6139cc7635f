# An image with lostbits and every compiler it drives.
#   docker build -t lostbits .
#   docker run --rm -v "$PWD:/src" lostbits explain prog.c -O2
FROM rust:1-bookworm AS build
WORKDIR /lostbits
COPY . .
RUN make package

FROM rust:1-slim-bookworm
COPY --from=build /lostbits/target/package/lostbits_*.deb /tmp/
RUN apt-get update \
    && apt-get install --yes /tmp/lostbits_*.deb \
    && rm -rf /tmp/lostbits_*.deb /var/lib/apt/lists/* \
    && lostbits doctor
WORKDIR /src
ENTRYPOINT ["lostbits"]
CMD ["--help"]
