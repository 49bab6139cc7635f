/* ---- the job, and communicators that it makes ---- */

int MPI_Init(int *count, char ***arguments) {
    int result = PMPI_Init(count, arguments);
    if (result == MPI_SUCCESS) start();
    return result;
}

int MPI_Init_thread(int *count, char ***arguments, int required, int *provided) {
    int result = PMPI_Init_thread(count, arguments, required, provided);
    if (result == MPI_SUCCESS) start();
    return result;
}

int MPI_Finalize(void) {
    release_sent(1);
    return PMPI_Finalize();
}

#define MAKES(NAME, PARAMETERS, ARGUMENTS)                        \
    int MPI_##NAME PARAMETERS {                                   \
        int result = PMPI_##NAME ARGUMENTS;                       \
        if (result == MPI_SUCCESS) adopt(*made);                  \
        return result;                                            \
    }
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
MAKES(Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
      (comm, n, dims, periods, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *made), (comm, remains, made))

int MPI_Comm_free(MPI_Comm *comm) {
    struct beside *one = beside(*comm);
    if (one) {
        release_sent(1);
        PMPI_Comm_delete_attr(*comm, keyval);
        PMPI_Comm_free(&one->shadow);
        free(one);
    }
    return PMPI_Comm_free(comm);
}

